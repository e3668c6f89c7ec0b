#pragma once

#include <array>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/choice/choice.h"
#include "hpl/base/result/figure.h"
#include "hpl/base/result/verdict.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/page/run_file.h"

namespace hpl::page {

// A document as a table of verdicts: the rows that all formats for other programs are made of.

enum class CaseKind {
  Run,     ///< with its repetitions
  Gate,    ///< a limit of a job
  Member,  ///< of a fleet
  Host,    ///< of a fleet
  Rank,    ///< of a check
  Step,    ///< of a campaign
  Job,     ///< whether it came to its end
};
inline constexpr std::array<Choice<CaseKind>, 7> kCaseKinds{{{CaseKind::Run, "run"},
                                                             {CaseKind::Gate, "gate"},
                                                             {CaseKind::Member, "member"},
                                                             {CaseKind::Host, "host"},
                                                             {CaseKind::Rank, "rank"},
                                                             {CaseKind::Step, "step"},
                                                             {CaseKind::Job, "job"}}};

/// A figure of the tables of fleets (kMemberFigures) or checks (kCheckFigures), finite.
struct CaseFigure {
  Figure figure{};
  double value = 0;
};
/// Whether its unit is GFLOP/s.
bool is_rate(Figure figure);
/// "24.6 GFLOP/s", "3.2 %"
std::string figure_text(const CaseFigure& of);

struct Case {
  CaseKind kind = CaseKind::Run;
  std::string name{};  ///< "node05 cuda 0"
  Verdict verdict = Verdict::Passed;
  std::vector<std::string> faults{};   ///< sentences: why it has not passed
  std::vector<std::string> remarks{};  ///< sentences that do not count
  /// The faults are those of a member, which is a case of its own.
  bool repeats_member = false;

  std::string key{};     ///< what distinguishes it on its device: number of a rank, a gate, a step
  std::string host{};    ///< "node05", "node[01-04]"
  std::string device{};  ///< "cuda 0"; empty: several
  std::string model{};   ///< "NVIDIA H200", "4 x NVIDIA H200"
  std::optional<RunSpec> spec{};
  double seconds = 0;      ///< of its runs
  bool disturbed = false;  ///< by other processes, in one of its runs
  std::vector<CaseFigure> figures{};
};

struct Suite {
  std::string file;
  std::string program;    ///< "xhpl 0.2.0"
  std::string subject{};  ///< "run", "fleet", "check", "campaign"
  std::string hosts{};    ///< "node[01-04]"; empty: unknown
  std::string models{};   ///< of the devices of all cases
  std::time_t started = 0;
  std::vector<Case> cases{};

  Verdict verdict() const;  ///< the worst of the cases
};

/// Throws ConfigError for a document that is of neither runs, a fleet, a check nor a campaign.
Suite suite_of(const RunFile& file);

}  // namespace hpl::page
