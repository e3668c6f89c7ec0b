#include "hpl/job/live/telemetry_sampler.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "hpcx/thread.h"
#include "hpl/report/result/hardware_events.h"

namespace hpl {

namespace {

/// Errors between two looks; empty where the device does not tell.
std::optional<std::int64_t> arisen(const std::optional<std::int64_t>& before,
                                   const std::optional<std::int64_t>& after) {
  if (!before || !after) return std::nullopt;
  return std::max<std::int64_t>(0, *after - *before);
}

}  // namespace

void TelemetryStatistics::Values::add(double value) {
  minimum = count == 0 ? value : std::min(minimum, value);
  maximum = count == 0 ? value : std::max(maximum, value);
  sum += value;
  ++count;
}

std::optional<SensorRange> TelemetryStatistics::Values::range() const {
  if (count == 0) return std::nullopt;
  return SensorRange{
      .minimum = minimum, .mean = sum / static_cast<double>(count), .maximum = maximum};
}

void TelemetryStatistics::add(double seconds, const hpcx::TelemetrySample& sample) {
  ++samples_;
  if (sample.clock_mhz) clock_.add(*sample.clock_mhz);
  if (sample.temperature_celsius) temperature_.add(*sample.temperature_celsius);
  for (const std::string& reason : sample.throttle_reasons)
    ++reasons_[reason];
  if (!sample.power_watts) return;
  power_.add(*sample.power_watts);
  power_samples_.push_back({seconds, *sample.power_watts});
}

TelemetrySummary TelemetryStatistics::summary() const {
  TelemetrySummary summary{.samples = samples_,
                           .clock_mhz = clock_.range(),
                           .power_watts = power_.range(),
                           .temperature_celsius = temperature_.range()};
  const double begin = power_samples_.empty() ? 0 : power_samples_.front().seconds;
  const double end = power_samples_.empty() ? 0 : power_samples_.back().seconds;
  if (end > begin) {
    // Weighed by time: samples are not evenly spaced on a busy machine.
    summary.energy_joules = energy_between(power_samples_, begin, end);
    summary.power_watts->mean = *summary.energy_joules / (end - begin);
  }
  for (const auto& [reason, count] : reasons_)
    summary.throttle_reasons.push_back(
        {reason, static_cast<double>(count) / static_cast<double>(samples_)});
  return summary;
}

TelemetrySampler::TelemetrySampler(hpcx::Telemetry& sensors,
                                   std::chrono::milliseconds period) noexcept
    : sensors_(sensors), before_(counters()) {
  sample();
  try {
    thread_ = hpcx::start_thread("the reader of sensors", [this, period](std::stop_token stop) {
      std::mutex mutex;
      std::condition_variable_any woken;
      std::unique_lock lock(mutex);
      const auto sleep = [&] {
        woken.wait_for(lock, stop, period, [&] { return stop.stop_requested(); });
      };
      // Its result does not tell the end of a period from a stop that comes while it begins to
      // wait.
      for (sleep(); !stop.stop_requested(); sleep())
        sample();
      sample();
    });
  } catch (const hpcx::ThreadRefused&) {
  }
}

void TelemetrySampler::sample() noexcept {
  try {
    const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
    const hpcx::TelemetrySample sample = sensors_.sample();
    statistics_.add(now.count(), sample);
    const std::lock_guard lock(mutex_);
    latest_ = sample;
  } catch (...) {  // the sensors are a side show: a run goes on without them
  }
}

TelemetrySampler::Counters TelemetrySampler::counters() noexcept {
  try {
    return {sensors_.health(), sensors_.events()};
  } catch (...) {
    return {};
  }
}

hpcx::TelemetrySample TelemetrySampler::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

TelemetrySummary TelemetrySampler::finish() noexcept {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  try {
    TelemetrySummary summary = statistics_.summary();
    const auto [after, events] = counters();
    summary.corrected_errors = arisen(before_.health.corrected_errors, after.corrected_errors);
    summary.uncorrected_errors =
        arisen(before_.health.uncorrected_errors, after.uncorrected_errors);
    summary.events = events_between(before_.events, events, since_.seconds());
    return summary;
  } catch (...) {
    return {};
  }
}

}  // namespace hpl
