#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/check/findings/core_products.h"
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
      record.measurements.push_back({Figure::DeviceClock, kNoPeer, mean_of_later_half(clocks_)});
    if (!watts_.empty())
      record.measurements.push_back({Figure::DevicePower, kNoPeer, mean_of_later_half(watts_)});
    if (!celsius_.empty())
      record.measurements.push_back(
          {Figure::DeviceTemperature, kNoPeer, *std::ranges::max_element(celsius_)});
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

/// The state of the calling thread's core at this moment: clock and width of CoreProducts.
CoreProducts core_state() {
  // Three short looks: an interrupt falls into one of them. The clock may change between two.
  constexpr int kLooks = 3, kTicks = 16000, kRounds = 8000;
  CoreProducts state{.clock = 0};
  std::vector<double> widths;
  for (int look = 0; look < kLooks; ++look) {
    // The compiler must keep each multiplication and each addition: it cannot see into the values.
    std::uint64_t product = 3;
    const Stopwatch ticks;
    for (int i = 0; i < kTicks; ++i) {
      product *= product;
      asm volatile("" : "+r"(product));
    }
    const double clock = 1e-9 * kTicks / ticks.seconds();
    std::uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, step = 7;
    asm volatile("" : "+r"(step));
    const Stopwatch additions;
    for (int i = 0; i < kRounds; ++i) {
      a += step, b += step, c += step, d += step, e += step, f += step;
      asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    }
    widths.push_back(1e-9 * 6 * kRounds / additions.seconds() / clock);
    state.clock = std::max(state.clock, clock);
  }
  state.width = median(std::move(widths));
  return state;
}

/// Products for about `seconds` on one core, in stretches between two looks at its state. A thread
/// that is bound to no core (`cpu` is empty) may look at another core than the products have.
CoreProducts core_products(ProductTrial& trial, std::optional<int> cpu, double seconds,
                           const std::function<void()>& meanwhile) {
  constexpr double kStretch = 0.01;  // other work comes and goes
  if (cpu) bind_this_thread(*cpu);
  const auto look = [&] { return cpu ? core_state() : CoreProducts(); };
  std::vector<CoreProducts> stretches;
  const Stopwatch watch;
  for (CoreProducts before = look(); stretches.empty() || watch.seconds() < seconds;) {
    // The caller shares the core, so that reading sensors costs the stretch a little.
    const bool watched = stretches.size() % 10 == 0;
    const double gflops = trial.rates(kStretch, kStretch, watched ? meanwhile : nullptr).front();
    const CoreProducts after = look();
    const double clock = std::max(before.clock, after.clock);
    stretches.push_back({.flops_per_tick = gflops / clock,
                         .clock = clock,
                         .width = std::min(before.width, after.width)});
    before = after;
  }
  return of_best_stretches(stretches);
}

}  // namespace

void probe_host_dgemm(const CheckContext& context, RankRecord& record) {
  // Cores work at the same time, each with matrices of its own: on a crowded host one of them has a
  // moment to itself far sooner than all of them do.
  constexpr ProductShape kShape{.rows = 1024, .columns = 1024, .depth = 256};
  struct CoreTrial {
    std::unique_ptr<hpcx::Device> device;
    ProductTrial trial;
  };
  const auto cpu_of = [&](int number) -> std::optional<int> {
    if (context.cores.empty()) return {};
    return context.cores[number % context.cores.size()].cpu;
  };
  std::vector<CoreTrial> cores = on_every_core(context, [&](int number) {
    const auto bind = [cpu = cpu_of(number)](int /*thread*/) {
      if (cpu) bind_this_thread(*cpu);
    };
    auto device =
        hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.on_thread_start = bind}});
    ProductTrial trial(*device, kShape);
    return CoreTrial{std::move(device), std::move(trial)};
  });
  LoadSensors sensors(context.host.telemetry());
  const bool watch = context.device_is_host() && !context.brief();
  record.core_products = on_every_core(context, [&](int number) {
    const std::function<void()> look = [&] { sensors.sample(); };
    return core_products(cores[number].trial, cpu_of(number), context.brief() ? 0.15 : 1.5,
                         watch && number == 0 ? look : nullptr);
  });
  std::vector<double> gflops;
  for (const CoreProducts& core : record.core_products)
    gflops.push_back(core.gflops());
  record.measurements.push_back({Figure::HostDgemm, kNoPeer, mean(gflops)});
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
  record.measurements.push_back({Figure::DeviceDgemmBurst, kNoPeer, std::ranges::max(burst)});
  if (context.brief()) return;
  const std::vector<double> rates = trial.rates(5, 0.1, [&] { sensors.sample(); });
  // By then heat and power cap have had their say.
  record.measurements.push_back({Figure::DeviceDgemmSustained, kNoPeer, mean_of_later_half(rates)});
  sensors.add_to(record);
}

}  // namespace hpl
