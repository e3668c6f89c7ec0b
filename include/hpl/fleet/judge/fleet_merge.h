#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

/// Adds those of `expected` that the fleet has not, as hosts that did not report. "node01" and
/// "node01.cluster" are one host.
void expect_hosts(FleetReport& fleet, const std::vector<std::string>& expected);

/// Hosts, name and kind of a member, from its devices.
void name_member(FleetMember& member, FleetMemberKind each);

/// The words on a job that came to no end, by its error and its exit code; empty: it came to its
/// end.
std::string early_end(const std::optional<std::string>& error, const std::optional<ExitCode>& code);

/// An ordinary job as a fleet of one member: a device where it has one rank, else the node or the
/// pair of nodes that it ran on. Judged by itself. Throws ConfigError where the job has more hosts,
/// tells nothing of them, or has made other runs than repetitions of one; `document` is its name.
FleetReport fleet_of(JobReport job, const std::string& document);

/// The fleets of several jobs, one a node for instance, as one, judged anew. No failure is lost:
/// - A host is not better than in its own job. That of a job without an end has failed; the hosts
/// of such a job of several are not checked.
/// - The strictest of each limit counts, and the reference of the first job that has one.
/// - The later runs of a member follow the earlier ones. A run of several reports counts once.
/// - Hosts of `expected` that no job had are missing.
/// - A host that is called with its domain in one report and without it in another is one.
/// The order of the reports is of no account. Throws ConfigError where the jobs did not make the
/// same run; there must be one at least. Pure.
FleetReport merge_fleets(std::vector<FleetReport> reports,
                         const std::vector<std::string>& expected = {});

}  // namespace hpl
