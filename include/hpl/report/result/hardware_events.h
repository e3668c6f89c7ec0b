#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpcx/telemetry.h"
#include "hpl/base/result/finding.h"
#include "hpl/base/result/remark.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// Events that arose from one reading to another, `seconds` later. A count that went down, as after
/// a reset, has no events.
hpcx::EventCounts events_between(const hpcx::EventCounts& before, const hpcx::EventCounts& after,
                                 double seconds);

/// The remedy for a driver error by its number (Xid); none for errors of programs. After NVIDIA's
/// catalog of Xid errors.
std::optional<Action> action_of_driver_error(int number);

/// Findings by the events of one device or host: more of them than are in order by the table of
/// figures. MONITOR is a warning, other words are faults.
std::vector<Finding> judge_events(const hpcx::EventCounts& events);

/// A device with its lowest rank; without a back end the host itself.
struct DevicePlace {
  std::string host;
  int rank = 0;
  std::string backend{};
  int device_index = 0;
};
struct EventFinding : Finding, DevicePlace {};
/// Each device and each host once.
std::vector<EventFinding> event_findings(const RunResult& run);
/// The same of several runs, each kind of event of a device or host once, from the run with the
/// most of them: "run 2: ...".
std::vector<EventFinding> event_findings(std::span<const RunResult> runs);
/// device_findings() of the run's devices, then its event_findings() as sentences: "rank 3 on
/// node01, cuda 3: remapped rows of memory: 1 in 30 s (MONITOR)".
std::vector<std::string> device_findings(const RunResult& run);

/// All counts of a run, a line for each device and host.
std::vector<std::string> event_lines(const RunResult& run);

/// A note on the kinds of events that could not be read on some device or host.
std::optional<Remark> unreadable_events(std::span<const hpcx::EventCounts> all);
std::vector<hpcx::EventCounts> events_of(const RunResult& run);

}  // namespace hpl
