#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

/// A difference of so many seconds a run is noise, and makes nobody fail.
inline constexpr double kFleetNoiseSeconds = 0.1;
/// Fewer runs have no first and last third.
inline constexpr int kFewestRunsForDrift = 6;

/// The one judge of fleets. Fills all that follows from the hosts, the runs of the members, the
/// thresholds and the reference: figures, statistics of kinds, findings and verdicts, differences,
/// remarks, lists. What a former call has filled is replaced. Pure, for any number of members of
/// any number of jobs.
void judge_fleet(FleetReport& report);

/// A difference of a figure that is noise, in its unit: its floor, and a fraction of a second of
/// runs at this rate.
double noise_floor(Figure figure, double usual_gflops, std::int64_t order);

/// The runs that say how fast a member is: those that other processes did not disturb, or all where
/// there is none.
std::vector<const RunResult*> measuring_runs(const FleetMember& member);

/// Whether other processes disturbed every run of a member, so that its figures measure them as
/// well.
bool is_unmeasured(const FleetMember& member);

/// The figures of a member over its measuring_runs().
Figures figures_of(const FleetMember& member);

/// "the rates are no measure of these devices: other processes took up to 94 % of the cores of
/// node01 (10 of 10 runs)", of the members that were disturbed; empty without any.
std::string disturbance_of(const Fleet& fleet);

bool has_rate(const RunResult& run);

/// Facts that are not the same on all hosts, firmware of devices among them, by majority. Facts
/// that are a host's own, such as its serial number, are left out.
std::vector<FleetDifference> differences_of(std::span<const FleetHost> hosts,
                                            std::span<const FleetMember> members);

/// Why a fleet cannot be compared with this reference: other members, another run, hardware that it
/// does not know. Empty where it can. Needs `each`, `spec` and the kinds of the members.
std::optional<std::string> reference_mismatch(const FleetReference& reference,
                                              const FleetReport& report);

/// The finding that counts most, the first of its severity; null without one.
const Finding* worst(std::span<const Finding> findings);

/// The worst finding on members and hosts decides. Failed if one was not checked; a warning passes.
ExitCode exit_code_of(const FleetReport& report);

}  // namespace hpl
