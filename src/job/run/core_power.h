#pragma once

#include <span>

#include "hpl/base/power/run_power.h"
#include "hpl/base/result/timeline.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// When the core phase began, on the clock of the samples and on that of the world.
class CoreClock {
 public:
  void start();
  double steady_seconds() const { return steady_; }
  double unix_seconds() const { return unix_; }

 private:
  double steady_ = 0, unix_ = 0;
};

/// Power and energy of this rank's device over the core phase. `samples` and `begin` are on the
/// steady clock, times of `spans` count from `begin`.
void add_core_power(TelemetrySummary& sensors, const PowerSeries& samples, double begin,
                    double seconds, std::span<const Span> spans);

/// What the sensors of all devices showed together, on rank 0, whose result has the devices and the
/// seconds; without components elsewhere. Collective.
RunPower gather_power(const mpi::Communicator& ranks, const PowerSeries& samples,
                      const CoreClock& core, const RunResult& result);

}  // namespace hpl
