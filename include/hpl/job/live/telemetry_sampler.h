#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "hpcx/telemetry.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/base/power/power_series.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// Sums up samples as they come.
class TelemetryStatistics {
 public:
  /// `seconds`: when the sample was taken, on any clock that does not go back.
  void add(double seconds, const hpcx::TelemetrySample& sample);

  TelemetrySummary summary() const;
  /// All power samples, on the clock of `seconds`.
  const PowerSeries& power() const { return power_samples_; }

 private:
  struct Values {
    std::int64_t count = 0;
    double sum = 0, minimum = 0, maximum = 0;
    void add(double value);
    std::optional<SensorRange> range() const;
  };
  std::int64_t samples_ = 0;
  Values clock_, power_, temperature_;
  std::map<std::string, std::int64_t> reasons_;
  PowerSeries power_samples_;
};

/// Reads a device's sensors once in the constructor, then every `period` from a thread of its own,
/// which sleeps in between, and once at the end; its health and events before and after. Never
/// throws; where no thread can be had the first sample is the only one.
///
///     TelemetrySampler sampler(device.telemetry());
///     ... the timed part ...
///     result.sensors = sampler.finish();
class TelemetrySampler {
 public:
  static constexpr std::chrono::milliseconds kPeriod{100};

  /// `sensors` is used by the thread alone until finish().
  explicit TelemetrySampler(hpcx::Telemetry& sensors,
                            std::chrono::milliseconds period = kPeriod) noexcept;

  /// The newest sample; all empty before the first. Any thread.
  hpcx::TelemetrySample latest() const;

  /// Ends the sampling; a second call returns the same.
  TelemetrySummary finish() noexcept;
  /// All power samples, on the steady clock; after finish().
  const PowerSeries& power() const { return statistics_.power(); }

 private:
  void sample() noexcept;
  struct Counters {
    hpcx::DeviceHealth health;
    hpcx::EventCounts events;
  };
  Counters counters() noexcept;

  hpcx::Telemetry& sensors_;
  const Counters before_;
  const Stopwatch since_;
  TelemetryStatistics statistics_;  // the thread's until it has ended
  mutable std::mutex mutex_;
  hpcx::TelemetrySample latest_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace hpl
