#include <algorithm>
#include <cmath>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/check/probes/probe.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/update/product_trial.h"

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

}  // namespace

void probe_host_dgemm(const CheckContext& context, RankRecord& record) {
  const int threads = context.host.properties().compute_units;
  // Grows with the threads, so that each has several tiles. Small for the short form: of many short
  // stretches one is likely to be undisturbed, however crowded the host.
  const double wide = (context.brief() ? 1024 : 1536) * std::sqrt(static_cast<double>(threads));
  const std::int64_t size = std::min<std::int64_t>(round_up(static_cast<std::int64_t>(wide), 16),
                                                   context.brief() ? 6144 : 12288);
  ProductTrial trial(context.host, {.rows = size, .columns = size, .depth = 256});
  LoadSensors sensors(context.host.telemetry());
  const bool watch = context.device_is_host() && !context.brief();
  const std::vector<double> rates =
      context.brief() ? trial.rates(0.15, 0.01) : trial.rates(1.5, 0.1, [&] {
        if (watch) sensors.sample();
      });
  // The best stretch: what the cores can do, whatever else woke up on the host for a moment.
  record.measurements.push_back({Metric::HostDgemm, kNoPeer, std::ranges::max(rates) / threads});
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
