#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/check/probes/probe.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/update/product_trial.h"
#include "hpl/machine/host/topology.h"

namespace hpl {
namespace {

/// The sensors' readings while the device works.
class LoadSensors {
 public:
  explicit LoadSensors(hpcx::Telemetry& sensors) : sensors_(sensors) {}

  void sample() {
    const hpcx::TelemetrySample now = sensors_.sample();
    if (now.clock_mhz) clocks_.push_back(*now.clock_mhz);
    if (now.power_watts) watts_.push_back(*now.power_watts);
    if (now.temperature_celsius) celsius_.push_back(*now.temperature_celsius);
    for (const std::string& reason : now.throttle_reasons)
      if (std::ranges::find(reasons_, reason) == reasons_.end()) reasons_.push_back(reason);
  }

  /// Clock and power of the later half, when the device is hot; the highest temperature.
  void add_to(RankRecord& record) const {
    if (!clocks_.empty())
      record.measurements.push_back({Metric::Clock, kNoPeer, mean_of_later_half(clocks_)});
    if (!watts_.empty())
      record.measurements.push_back({Metric::Power, kNoPeer, mean_of_later_half(watts_)});
    if (!celsius_.empty())
      record.measurements.push_back(
          {Metric::Temperature, kNoPeer, *std::ranges::max_element(celsius_)});
    record.throttle_reasons = reasons_;
  }

 private:
  hpcx::Telemetry& sensors_;
  std::vector<double> clocks_, watts_, celsius_;
  std::vector<std::string> reasons_;
};

/// The results of `work(0) ... work(threads - 1)`, for each compute thread of the host, made at the
/// same time. Throws what one of them threw, when all are done.
template <class Work>
auto on_every_core(const CheckContext& context, const Work& work) {
  std::vector<std::future<decltype(work(0))>> started;
  for (int number = 0; number < context.host.properties().compute_units; ++number)
    started.push_back(std::async(std::launch::async, work, number));
  std::vector<decltype(work(0))> results;
  for (auto& one : started)
    results.push_back(one.get());
  return results;
}

}  // namespace

void probe_host_dgemm(const CheckContext& context, RankRecord& record) {
  // Cores work at the same time, each with matrices of its own: on a crowded host one of them is
  // undisturbed far sooner than all of them are.
  constexpr ProductShape kShape{.rows = 1024, .columns = 1024, .depth = 256};
  struct CoreTrial {
    std::unique_ptr<hpcx::Device> device;
    ProductTrial trial;
  };
  std::vector<CoreTrial> cores = on_every_core(context, [&](int number) {
    const auto bind = [&context, number](int /*thread*/) {
      if (!context.cores.empty())
        bind_this_thread(context.cores[number % context.cores.size()].cpu);
    };
    auto device =
        hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.on_thread_start = bind}});
    ProductTrial trial(*device, kShape);
    return CoreTrial{std::move(device), std::move(trial)};
  });
  LoadSensors sensors(context.host.telemetry());
  const bool watch = context.device_is_host() && !context.brief();
  record.core_gflops = on_every_core(context, [&](int number) {
    const std::function<void()> look = [&] { sensors.sample(); };
    const auto [seconds, stretch] = context.brief() ? std::pair(0.15, 0.01) : std::pair(1.5, 0.1);
    // The best stretch: what the core can do, whatever else woke up on the host for a moment.
    return std::ranges::max(
        cores[number].trial.rates(seconds, stretch, watch && number == 0 ? look : nullptr));
  });
  record.measurements.push_back({Metric::HostDgemm, kNoPeer, mean(record.core_gflops)});
  if (watch) sensors.add_to(record);
}

void probe_device_dgemm(const CheckContext& context, RankRecord& record) {
  if (context.device_is_host())
    return skip(record, "device DGEMM", "the device is the host's processor");
  // The larger one keeps every multiprocessor busy for ten milliseconds a product on the largest
  // chips.
  const std::int64_t depth = 1024, largest = context.brief() ? 8192 : 16384;
  // An eighth of the memory: ranks may share the device.
  const auto fits = static_cast<std::int64_t>(
      std::sqrt(static_cast<double>(context.device.memory().free) / 8 / 8));
  const std::int64_t size = std::clamp<std::int64_t>(fits / 16 * 16, 16, largest);
  ProductTrial trial(context.device, {.rows = size, .columns = size, .depth = depth});
  LoadSensors sensors(context.device.telemetry());
  const std::vector<double> burst = trial.rates(context.brief() ? 0.1 : 0.3, 0.03);
  record.measurements.push_back({Metric::DeviceDgemmBurst, kNoPeer, std::ranges::max(burst)});
  if (context.brief()) return;
  const std::vector<double> rates = trial.rates(5, 0.1, [&] { sensors.sample(); });
  // By then heat and power cap have had their say.
  record.measurements.push_back({Metric::DeviceDgemmSustained, kNoPeer, mean_of_later_half(rates)});
  sensors.add_to(record);
}

}  // namespace hpl
