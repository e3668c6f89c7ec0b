#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "hpl/check/probe.h"
#include "hpl/matrix/distributed_matrix.h"
#include "hpl/update/product_trial.h"
#include "stopwatch.h"

namespace hpl {
namespace {

/// GFLOP/s of stretches of about `stretch` seconds, one after another without a pause, for
/// `seconds`, at least one. Calls `meanwhile` in each stretch, while the device is busy.
std::vector<double> rates_of(ProductTrial& trial, double seconds, double stretch,
                             const std::function<void()>& meanwhile) {
  const Stopwatch single;
  trial.enqueue(1).synchronize();
  const auto products = static_cast<int>(std::clamp(stretch / single.seconds(), 1.0, 1e6));
  std::vector<double> rates;
  const Stopwatch all;
  hpcx::Event begin = trial.now();
  hpcx::Event end = trial.enqueue(products);
  do {
    const hpcx::Event next = trial.enqueue(products);
    meanwhile();
    end.synchronize();
    // By the device's time: this thread may wake late, and would find the next stretch short.
    rates.push_back(trial.gflop() * products / end.seconds_since(begin));
    begin = std::exchange(end, next);
  } while (all.seconds() < seconds);
  end.synchronize();
  return rates;
}

double mean(std::vector<double>::const_iterator begin, std::vector<double>::const_iterator end) {
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

/// What the sensors say while the device works.
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
    const auto later = [](const std::vector<double>& values) {
      return mean(values.begin() + std::ssize(values) / 2, values.end());
    };
    if (!clocks_.empty()) record.measurements.push_back({Metric::Clock, kNoPeer, later(clocks_)});
    if (!watts_.empty()) record.measurements.push_back({Metric::Power, kNoPeer, later(watts_)});
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

constexpr auto kNothing = [] {};

}  // namespace

void probe_host_dgemm(const CheckContext& context, RankRecord& record) {
  const int threads = context.host.properties().compute_units;
  // Grows with the threads, so that each has several tiles. Small for the short form: of many short
  // stretches one is likely to be undisturbed, however crowded the host.
  const double wide = (context.brief() ? 1024 : 1536) * std::sqrt(static_cast<double>(threads));
  const std::int64_t size = std::min<std::int64_t>(round_up(static_cast<std::int64_t>(wide), 16),
                                                   context.brief() ? 6144 : 12288);
  ProductTrial trial(context.host, size, 256);
  LoadSensors sensors(context.host.telemetry());
  const bool watch = context.device_is_host() && !context.brief();
  const std::vector<double> rates =
      context.brief() ? rates_of(trial, 0.15, 0.01, kNothing) : rates_of(trial, 1.5, 0.1, [&] {
        if (watch) sensors.sample();
      });
  // The best stretch: what the cores can do, whatever else woke up on the host for a moment.
  record.measurements.push_back(
      {Metric::HostDgemm, kNoPeer, *std::ranges::max_element(rates) / threads});
  if (watch) sensors.add_to(record);
}

void probe_device_dgemm(const CheckContext& context, RankRecord& record) {
  if (context.device_is_host()) {
    record.skipped.push_back({"device DGEMM", "the device is the host's processor"});
    return;
  }
  // The larger one keeps every multiprocessor busy for ten milliseconds a product on the largest
  // chips.
  const std::int64_t depth = 1024, largest = context.brief() ? 8192 : 16384;
  // An eighth of the memory: ranks may share the device.
  const auto fits = static_cast<std::int64_t>(
      std::sqrt(static_cast<double>(context.device.memory().free) / 8 / 8));
  ProductTrial trial(context.device, std::clamp<std::int64_t>(fits / 16 * 16, 16, largest), depth);
  LoadSensors sensors(context.device.telemetry());
  const std::vector<double> burst = rates_of(trial, context.brief() ? 0.1 : 0.3, 0.03, kNothing);
  record.measurements.push_back(
      {Metric::DeviceDgemmBurst, kNoPeer, *std::ranges::max_element(burst)});
  if (context.brief()) return;
  const std::vector<double> rates = rates_of(trial, 5, 0.1, [&] { sensors.sample(); });
  // The later half: by then heat and power cap have had their say.
  record.measurements.push_back({Metric::DeviceDgemmSustained, kNoPeer,
                                 mean(rates.begin() + std::ssize(rates) / 2, rates.end())});
  sensors.add_to(record);
}

}  // namespace hpl
