#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/choice/choice.h"
#include "hpl/base/choice/choices.h"
#include "hpl/base/error/error.h"
#include "hpl/base/result/finding.h"
#include "hpl/base/result/remark.h"
#include "hpl/base/result/verdict.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/fleet/judge/fleet_power.h"
#include "hpl/input/run_spec/gates.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/report/result/job_machine.h"
#include "hpl/report/result/run_result.h"
#include "hpl/run/report/job_report.h"

namespace hpl {

/// The subject of the remark on runs that other processes disturbed.
inline constexpr std::string_view kDisturbed = "disturbed";

void describe(Record& record, Finding& finding);

/// Verdicts of members and hosts.
inline constexpr std::array<Choice<Verdict>, 6> kMemberVerdicts = [] {
  std::array<Choice<Verdict>, 6> choices{};
  std::size_t number = 0;
  for (const Verdict verdict : {Verdict::Passed, Verdict::Warned, Verdict::Failed, Verdict::NotRun,
                                Verdict::Missing, Verdict::Unchecked})
    choices[number++] = {verdict, to_string(verdict)};
  return choices;
}();

/// The state of a member in a job that ended early; in others Finished.
enum class MemberState {
  Finished,  ///< what it was asked for so far
  AtWork,    ///< in a run
  Silent,    ///< a rank of it gave no answer, so that the others waited in vain
};
inline constexpr std::array<Choice<MemberState>, 3> kMemberStates{
    {{MemberState::Finished, "finished"},
     {MemberState::AtWork, "at work"},
     {MemberState::Silent, "silent"}}};

/// A member solves a system of its own: a device, a node, a pair of nodes. It runs an ordinary job.
struct FleetMember {
  std::string name;                ///< "node01 cuda 3", "node01", "node01 node02"
  std::string kind;                ///< of hardware: only members of one kind are compared
  std::vector<std::string> hosts;  ///< one, or the two of a pair
  std::vector<int> ranks;          ///< of the fleet's job, ascending; runs count them from 0
  std::vector<JobDevice> devices;
  std::vector<RunResult> runs;  ///< see brief()
  MemberState state = MemberState::Finished;

  // Filled by judge_fleet().
  Figures figures{};  ///< over all runs; empty where there is no such figure
  Verdict verdict = Verdict::NotRun;
  std::vector<Finding> findings{};
};
void describe(Record& record, FleetMember& member);

/// The verdict of a host's own job.
struct OwnVerdict {
  Verdict verdict = Verdict::Failed;
  Severity severity = Severity::Fault;  ///< of the finding that it becomes
  std::string text;
};

struct FleetHost : JobHost {
  /// In a merged fleet: the judge makes nobody better than this.
  std::optional<OwnVerdict> own{};

  // Filled by judge_fleet().
  Verdict verdict = Verdict::NotRun;
  std::vector<Finding> findings{};
};
void describe(Record& record, FleetHost& host);

/// A fact that is not the same all over the fleet.
struct FleetDifference {
  struct Other {
    std::string value;
    std::vector<std::string> hosts;
  };
  std::string fact;      ///< "kernel"; "firmware of NVIDIA H100"
  std::string majority;  ///< value of most hosts
  int count = 0;         ///< of these hosts
  std::vector<Other> others{};
};
void describe(Record& record, FleetDifference& difference);

/// A figure over the members of one kind.
struct FigureStatistics {
  Figure figure = Figure::Gflops;
  int count = 0;
  double minimum = 0, median = 0, maximum = 0;
  double spread = 0;                ///< robust: 1.4826 times the median absolute deviation
  std::optional<double> threshold;  ///< from where on a member is a finding; empty: not judged
  std::string worst_member{};
};
void describe(Record& record, FigureStatistics& statistics);

/// The members of one kind of hardware.
struct FleetKind {
  std::string kind;
  int members = 0;
  std::string remark{};  ///< why they are not compared with each other; empty: they are
  std::vector<FigureStatistics> figures{};
};
void describe(Record& record, FleetKind& kind);

/// The limits of a finding, as far as the command line decides.
struct FleetThresholds {
  double tolerance = 5;  ///< percent of the median (--tolerance)
  double spreads = 3;    ///< robust spreads of the fleet (--spreads)
  Gates gates{};
  bool strict = false;  ///< one figure that is out fails (--strict)

  bool operator==(const FleetThresholds&) const = default;
};
void describe(Record& record, FleetThresholds& thresholds);

/// An earlier acceptance to compare with.
struct FleetReference {
  std::string source;     ///< file name
  std::string written{};  ///< when
  std::vector<FleetKind> kinds;
  FleetMemberKind each = FleetMemberKind::Device;
  RunSpec spec{};
};
void describe(Record& record, FleetReference& reference);

/// The rate that a data sheet lets expect of the members of a kind.
struct FleetExpectation {
  std::string kind;
  ExpectedRun expected{};
};
void describe(Record& record, FleetExpectation& expectation);

/// The acceptance of a fleet: its members, and what the judge made of them.
struct Fleet {
  FleetMemberKind each = FleetMemberKind::Device;
  RunSpec spec{};  ///< of every member
  ZonedTime started{}, ended{};
  std::optional<double> wanted_seconds{};  ///< --for
  FleetThresholds thresholds{};
  bool shared_cores = false;  ///< ranks share cores (--share-cores): no figure is compared
  std::optional<FleetReference> reference{};
  std::vector<FleetExpectation> expectations{};  ///< --expect; of kinds that a sheet knows
  std::vector<FleetHost> hosts{};
  std::vector<FleetMember> members{};

  // Filled by judge_fleet().
  std::vector<FleetKind> kinds{};
  std::vector<FleetDifference> differences{};
  std::vector<Remark> remarks{};  ///< on the fleet as a whole
  std::string pass_list{}, warn_list{}, fail_list{};

  std::optional<FleetPower> power{};  ///< by the log of a meter (add_power_log())
};
void describe(Record& record, Fleet& fleet);

/// The acceptance as a document. Complete on world rank 0 only.
struct FleetReport : Fleet {
  JobHeader header{};
  std::optional<ExitCode> exit_code{};  ///< empty while the job goes on
  std::optional<std::string> error{};   ///< why the job ended early
};
void describe(Record& record, FleetReport& report);

/// The part of a run that a fleet keeps: no steps, no traces, nothing by phase and rank.
RunResult brief(RunResult run);

/// Seconds since 1970 at which the timed part began; to the millisecond where that is known.
double begin_of(const RunResult& run);

/// The run of every member, with all that readers must know of it but its arithmetic: "N = 2000, NB
/// = 192, 1 x 1 each, threshold 16".
std::string run_of_members(const RunSpec& spec);

}  // namespace hpl
