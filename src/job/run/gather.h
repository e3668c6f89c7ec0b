#pragma once

#include <optional>
#include <vector>

#include "hpcx/device.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/pipeline/recorder.h"
#include "hpl/lu/verify/step_checksums.h"
#include "hpl/report/result/run_result.h"
#include "hpl/report/trace/trace_file.h"

namespace hpl {

/// The time lines of all ranks, by rank, on rank 0; empty elsewhere. Collective.
std::vector<RankTimeline> gather_timelines(const mpi::Communicator& ranks,
                                           const hpcx::DeviceProperties& device,
                                           const std::vector<Span>& spans);

/// Phases of all ranks without what they waited for each other, by rank, on rank 0; empty
/// elsewhere. Collective over the grid.
std::vector<PhaseTimes> gather_working_times(const ProcessGrid& grid,
                                             const std::vector<Span>& spans);

/// What the devices of all ranks showed, by rank, on rank 0; empty elsewhere. Collective.
std::vector<DeviceTelemetry> gather_devices(const mpi::Communicator& ranks,
                                            const hpcx::DeviceProperties& device,
                                            const TelemetrySummary& sensors);

/// Rpeak of all ranks together on rank 0; empty elsewhere, and where a rank's is unknown.
/// Collective.
std::optional<PeakRate> gather_peak(const mpi::Communicator& ranks,
                                    const std::optional<PeakRate>& mine);

/// Checksums of all ranks in steps before `end`, on rank 0. Collective.
ChecksumResult gather_checksums(const mpi::Communicator& ranks, const StepChecksums& mine,
                                std::int64_t interval, std::int64_t end);

}  // namespace hpl
