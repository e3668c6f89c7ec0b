#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/record/program_info.h"
#include "hpl/base/result/remark.h"
#include "hpl/check/findings/finding.h"

namespace hpl {

enum class CheckForm {
  Short,  ///< before a run: a fraction of a second, no pairs of nodes
  Full,   ///< `xhpl check`
  Deep,   ///< `xhpl check --deep`: copies one by one and at once, starts
};
inline constexpr std::array<Choice<CheckForm>, 3> kCheckForms{
    {{CheckForm::Short, "short"}, {CheckForm::Full, "full"}, {CheckForm::Deep, "deep"}}};

/// An earlier check. Its figures are norms for the same ranks and links.
struct CheckReference {
  std::string source;   ///< file
  std::string written;  ///< time; empty: unknown
  std::vector<RankRecord> ranks{};
};
void describe(Record& record, CheckReference& reference);

/// A pre-flight check as data. Complete on rank 0 only; a document of runs holds no ranks.
struct CheckReport {
  CheckForm form = CheckForm::Full;
  double seconds = 0;                         ///< it took
  double tolerance = 0;                       ///< fraction of the median, as applied
  std::optional<CheckReference> reference{};  ///< without its ranks
  int rank_count = 0, node_count = 0;
  std::vector<Remark> remarks;  ///< on the launch
  std::vector<RankRecord> ranks;
  std::vector<MetricSummary> summaries;
  std::vector<DeepSummary> deep;      ///< empty in other forms
  std::vector<RankFinding> findings;  ///< the worst first
};
void describe(Record& record, CheckReport& report);

/// Percent that a short check allows beyond the tolerance. In its short time other processes on the
/// machine show.
inline constexpr double kShortFormSlack = 5;

/// The rules by which figures are out.
struct CheckRules {
  double tolerance = 0.05;  ///< fraction of the median
  bool strict = false;      ///< see fail_by_figures()
  const CheckReference* reference = nullptr;
};

/// Fills summaries and findings from the ranks' records. The short form is lenient (see above).
/// Where ranks share cores nothing is compared: the figures are those of the sharing.
CheckReport judge(CheckForm form, std::vector<RankRecord> ranks, const CheckRules& rules);

/// Ranks share cores, or processors of a control group.
bool shares_cores(const CheckReport& report);
/// No fault and no outlier.
bool is_sound(const CheckReport& report);
int count(const CheckReport& report, Severity severity);
/// A fault is wrong; a warning passes.
ExitCode exit_code_of(const CheckReport& report);

/// The hosts of a check, each in one list.
struct CheckedHosts {
  std::vector<std::string> passed;
  std::vector<std::string> warned;  ///< a warning, or one end of a slow link
  std::vector<std::string> failed;  ///< a fault, or slow
};
CheckedHosts hosts_of(const CheckReport& report);

/// The document of `xhpl check --json`: summaries, findings, and everything known of every rank.
struct CheckDocument {
  ProgramInfo program;
  CheckReport check;
  ExitCode exit_code = ExitCode::Passed;
};
void describe(Record& record, CheckDocument& document);

}  // namespace hpl
