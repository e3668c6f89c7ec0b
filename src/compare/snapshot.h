#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/json/json_cursor.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/compare/comparison.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

/// A run, and the members that made it at one time; or a pre-flight check, whose members are ranks
/// and links.
struct Trial {
  std::optional<FleetMemberKind> each{};  ///< empty: a job of more than two hosts, or a check
  RunSpec spec{};
  bool check = false;
  double tolerance = 0;    ///< of a check: a share of each figure, times its slack
  NamedValues settings{};  ///< how it was carried out, as far as `spec` does not say
  std::vector<FleetMember> members{};
  bool log = false;  ///< of another program: N, NB, P, Q and rates are all that is known
};

/// A link between two ranks of a check.
inline bool is_link(const Trial& trial, const FleetMember& member) {
  return trial.check && member.ranks.size() > 1;
}

/// The same run of the same kind of members, or checks both. A run of a log is the same as any of
/// its N, NB, P and Q.
bool is_same(const Trial& one, const Trial& other);

/// The content of a document, or of several of one time.
struct Snapshot {
  ComparedSide side;
  std::vector<JobHost> hosts;
  std::vector<Trial> trials;
  std::vector<std::string> early_ends{};              ///< "june.json: its job ended early: ..."
  std::map<std::string, std::string> failed_hosts{};  ///< by themselves, with the reason
};

/// A fleet, named by its date.
Snapshot snapshot_of(FleetReport fleet);

/// A check. Figures of cores that other work used are left out.
Trial trial_of(const CheckReport& check);

/// A report of runs, of a fleet or of a check. Empty of any other document. Throws ConfigError
/// where it cannot be read.
std::optional<Snapshot> snapshot_of(JsonCursor::Json document, const std::string& name);

/// The rows of another program's log, without a verdict. Empty: it has none. Throws ConfigError
/// where a row contradicts itself.
std::optional<Snapshot> snapshot_of_log(const std::string& text, const std::string& name);

/// Adds the content of another document of the same time. Runs that both hold count once.
void join(Snapshot& all, Snapshot part);

/// The start of a time: snapshots in the order of their dates. A document belongs to the time of
/// the one before if it began within a day of it, and no member has made the same run in both.
std::vector<Snapshot> by_date(std::vector<Snapshot> documents);

}  // namespace hpl
