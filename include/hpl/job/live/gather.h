#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hpcx/device.h"
#include "hpl/base/power/power_series.h"
#include "hpl/base/power/run_power.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/lu/system/linear_system.h"
#include "hpl/machine/host/processor.h"
#include "hpl/report/result/run_result.h"
#include "hpl/report/trace/trace_file.h"

namespace hpl {

/// Hands the time lines of all ranks to `take` on rank 0, by rank, one at a time: memory holds no
/// second one. A rank sends its own when rank 0 asks for it. Collective.
void gather_timelines(const mpi::Communicator& ranks, const hpcx::DeviceProperties& device,
                      const std::vector<Span>& spans,
                      const std::function<void(RankTimeline)>& take);

/// Phases of all ranks without what they waited for each other, by rank, on rank 0; empty
/// elsewhere. Collective over the grid.
std::vector<PhaseTimes> gather_working_times(const ProcessGrid& grid,
                                             const std::vector<Span>& spans);

/// Readings of the devices of all ranks, by rank, on rank 0; empty elsewhere. Collective.
std::vector<DeviceTelemetry> gather_devices(const mpi::Communicator& ranks,
                                            const hpcx::DeviceProperties& device,
                                            const TelemetrySummary& sensors);

/// The events of the hosts on rank 0, where the ranks that read them have some. Collective.
std::vector<HostEvents> gather_host_events(const mpi::Communicator& ranks,
                                           const std::optional<hpcx::EventCounts>& mine);

/// Rpeak of all ranks together on rank 0; empty elsewhere, and where a rank's is unknown.
/// Collective.
std::optional<PeakRate> gather_peak(const mpi::Communicator& ranks,
                                    const std::optional<PeakRate>& mine);

/// The host where other processes took most of the cores in `seconds`, on rank 0; empty elsewhere
/// and where no host tells. `used`: by this rank and its host. Collective.
std::optional<OtherProcesses> gather_others(const mpi::Communicator& ranks,
                                            const ProcessorTime& used, double seconds);

/// A moment on the clock of the samples and on that of the world.
struct CoreClock {
  double steady_seconds = 0, unix_seconds = 0;

  static CoreClock now();
};

/// The core phase of a run as the sensor of this rank's device saw it.
struct CorePower {
  const PowerSeries& samples;  ///< on the steady clock
  CoreClock begin;
  double seconds;
};

/// Power and energy of this rank's device over the core phase. Times of `spans` count from its
/// begin.
void add_core_power(TelemetrySummary& sensors, const CorePower& core, std::span<const Span> spans);

/// Power by the sensors of all devices together, on rank 0, which has the `devices`. Other ranks
/// get no components. Collective.
RunPower gather_power(const mpi::Communicator& ranks, const CorePower& core,
                      const std::vector<DeviceTelemetry>& devices);

/// Checksums of all ranks in steps before `end`, on rank 0. Collective.
ChecksumResult gather_checksums(const mpi::Communicator& ranks, const StepChecksums& mine,
                                std::int64_t interval, std::int64_t end);

}  // namespace hpl
