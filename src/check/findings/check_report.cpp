#include "hpl/check/findings/check_report.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "hpl/base/record/text_forms.h"
#include "hpl/check/findings/check_reference.h"
#include "hpl/check/findings/core_products.h"

namespace hpl {

namespace {

const RankRecord& rank_at(const std::vector<RankRecord>& ranks, int rank) {
  return ranks.at(rank);
}

void name_machines(const std::vector<RankRecord>& ranks, RankFinding& finding) {
  finding.host = rank_at(ranks, finding.rank).host;
  finding.device = rank_at(ranks, finding.rank).device;
  if (finding.peer != kNoPeer) finding.peer_host = rank_at(ranks, finding.peer).host;
}

/// The figures of one rank count together, and those of one link. A rank that is named for many of
/// its links stands for itself.
void count_figures(std::vector<RankFinding>& findings, bool strict) {
  std::map<std::pair<int, int>, std::vector<Finding*>> subjects;
  for (RankFinding& finding : findings)
    subjects[{finding.rank, finding.bad_links > 0 ? kNoPeer : finding.peer}].push_back(&finding);
  for (const auto& [subject, of_one] : subjects)
    fail_by_figures(of_one, strict);
}

int nodes_of(const std::vector<RankRecord>& ranks) {
  std::set<int> nodes;
  for (const RankRecord& rank : ranks)
    nodes.insert(rank.node);
  return static_cast<int>(nodes.size());
}

}  // namespace

namespace {

/// The findings of a document by their kind.
enum class FindingKind { Fault, Outlier, Remark };
constexpr std::array<Choice<FindingKind>, 3> kFindingKinds{{{FindingKind::Fault, "fault"},
                                                            {FindingKind::Outlier, "outlier"},
                                                            {FindingKind::Remark, "remark"}}};

FindingKind kind_of(const RankFinding& finding) {
  if (finding.severity == Severity::Fault) return FindingKind::Fault;
  return is_outlier(finding) ? FindingKind::Outlier : FindingKind::Remark;
}

}  // namespace

bool is_outlier(const RankFinding& finding) {
  return finding.severity == Severity::Slow ||
         (finding.severity == Severity::Warning && finding.basis != Basis::Disturbed &&
          finding.basis != Basis::Device);
}

void describe(Record& record, RankFinding& finding) {
  record.type("finding");
  // A document from before severities: each outlier was slow.
  record.converted(
      "kind", [&] { return kind_of(finding); },
      [&](FindingKind kind) {
        finding.severity = kind == FindingKind::Fault     ? Severity::Fault
                           : kind == FindingKind::Outlier ? Severity::Slow
                                                          : Severity::Remark;
      },
      kFindingKinds);
  record("severity", finding.severity, kSeverities,
         "fault: wrong. slow: two figures of a rank are out, or one more than twice as far as is "
         "allowed. warning: one figure is out, or other processes disturbed it; the check passes. "
         "remark: information",
         kAddedLater);
  record("basis", finding.basis, kBases,
         "fleet: the figures of the others. disturbed: other processes. device: the report of "
         "device or host. residual: a wrong result. reference: the earlier check of --reference",
         kAddedLater);
  record("rank", finding.rank, {}, kCount);
  record("host", finding.host);
  record("device", finding.device, "\"cuda 1\", \"cpu\"");
  record.index("peer", finding.peer,
               "the other rank where it is about a link, or about cores that two ranks share");
  record("peer_host", finding.peer_host);
  record(
      "bad_links", finding.bad_links,
      "above 0: the finding stands for so many links of the rank, and peer is the end of the worst",
      kCount);
  record("metric", finding.figure, kFindingFigures, "of an outlier");
  record("value", finding.value, "of an outlier, in the unit of the metric");
  record("median", finding.expected,
         "of an outlier; its figure in the reference where basis is that");
  record("threshold", finding.threshold, "the value from which on it is one", kAddedLater);
  record("what", finding.text, "in words, without the name of the rank");
  record("action", finding.action, kActions, kActionMeaning, kAddedLater);
}

void describe(Record& record, MetricSummary& summary) {
  record.type("metric_summary");
  record("metric", summary.metric, kCheckFigures);
  const auto about = [&]() -> const FigureInfo& { return info(summary.metric); };
  record.computed(
      "label", [&] { return about().label; }, "in words");
  record.computed("unit", [&] { return about().unit; });
  record("group", summary.group,
         "what is compared: a model of processor or device, or a kind of link");
  record("count", summary.count, "values", kNotZero);
  record("minimum", summary.minimum);
  record("median", summary.median);
  record("maximum", summary.maximum);
  record("worst_rank", summary.worst_rank,
         "who has the worst value, or the largest where the metric is not judged", kCount);
  record.index("worst_peer", summary.worst_peer, "the other end of a link");
}

void describe(Record& record, DeepSummary& summary) {
  record.type("deep_summary");
  DeepFigure& about = summary.about;
  record("figure", about.key, "name, as copy_in_alone; see docs/checking.md");
  record("label", about.label, "in words");
  record("unit", about.unit);
  record("group", summary.group, "model of processor or device");
  record("count", summary.count, {}, kNotZero);
  record("minimum", summary.minimum);
  record("median", summary.median);
  record("maximum", summary.maximum);
  record("lower_is_better", about.lower_is_better);
  record("worst_rank", summary.worst_rank, {}, kCount);
  record("share", about.share, "of a copy: of the rate of its direction alone");
}

void describe(Record& record, CheckReference& reference) {
  record("source", reference.source, "file");
  record("written", reference.written, kTextOrNull);
}

void describe(Record& record, CheckReport& report) {
  record.type("preflight", "A pre-flight check; see docs/checking.md.");
  record("form", report.form, kCheckForms);
  record("seconds", report.seconds, "it took");
  record("tolerance", report.tolerance, "fraction of the median, as applied");
  record.computed(
      "sound", [&] { return is_sound(report); }, "no fault and no outlier");
  record("ranks", report.rank_count, {}, kCount);
  record("nodes", report.node_count, {}, kCount);
  record("metrics", report.summaries);
  record("findings", report.findings, "the worst first");
  record("deep", report.deep, "figures of the deep form, empty in others", kAddedLater);
  record("reference", report.reference, "the earlier check of --reference", kAddedLater);
}

CheckReport judge(CheckForm form, std::vector<RankRecord> ranks, const CheckRules& rules) {
  settle_host_dgemm(ranks);
  CheckReport report{
      .form = form,
      .tolerance = form == CheckForm::Short ? kShortFormSlack * rules.tolerance : rules.tolerance,
      .rank_count = static_cast<int>(ranks.size()),
      .node_count = nodes_of(ranks),
      .ranks = std::move(ranks)};
  report.summaries = summarize(report.ranks);
  report.deep = summarize_deep(report.ranks);
  report.findings = find_faults(report.ranks);
  if (!shares_cores(report)) {
    std::ranges::move(find_outliers(report.ranks, report.tolerance),
                      std::back_inserter(report.findings));
    if (rules.reference != nullptr)
      std::ranges::move(
          find_outliers(report.ranks, report.tolerance, CheckNorms(*rules.reference, report.ranks)),
          std::back_inserter(report.findings));
  }
  if (rules.reference != nullptr)
    report.reference = {rules.reference->source, rules.reference->written};
  count_figures(report.findings, rules.strict);
  std::ranges::stable_sort(report.findings, {}, &RankFinding::severity);
  for (RankFinding& finding : report.findings)
    name_machines(report.ranks, finding);
  return report;
}

bool shares_cores(const CheckReport& report) {
  return std::ranges::any_of(report.ranks, &RankRecord::oversubscribed);
}

int count(const CheckReport& report, Severity severity) {
  return static_cast<int>(std::ranges::count(report.findings, severity, &RankFinding::severity));
}

CheckedHosts hosts_of(const CheckReport& report) {
  std::map<std::string, Severity> worst;
  for (const RankRecord& rank : report.ranks)
    worst.emplace(rank.host, Severity::Remark);
  const auto add = [&](const std::string& host, Severity severity) {
    Severity& known = worst.try_emplace(host, Severity::Remark).first->second;
    known = std::min(known, severity);
  };
  for (const RankFinding& finding : report.findings) {
    // A link alone does not tell which of its ends is slow.
    const bool is_of_link = finding.peer != kNoPeer && finding.bad_links == 0;
    const Severity one_end = std::max(finding.severity, Severity::Warning);
    add(finding.host, is_of_link ? one_end : finding.severity);
    if (finding.peer_host) add(*finding.peer_host, one_end);
  }
  CheckedHosts hosts;
  for (const auto& [host, severity] : worst)
    (fails_by(severity)              ? hosts.failed
     : severity == Severity::Warning ? hosts.warned
                                     : hosts.passed)
        .push_back(host);
  return hosts;
}

ExitCode exit_code_of(const CheckReport& report) {
  return exit_code_of(
      {.wrong = count(report, Severity::Fault) > 0, .slow = count(report, Severity::Slow) > 0});
}

bool is_sound(const CheckReport& report) {
  return std::ranges::none_of(report.findings, [](const RankFinding& finding) {
    return finding.severity == Severity::Fault || is_outlier(finding);
  });
}

void describe(Record& record, CheckDocument& document) {
  record.document(
      {.title = "Result of xhpl check",
       .description =
           "Written by xhpl check --json. A number that is not finite is null. Readers should "
           "ignore members they do not know: new members do not raise schema_version."});
  record("program", document.program);
  describe_remarks(record, document.check.remarks,
                   "On the launch: cores left idle, ranks that share a device.");
  record("preflight", document.check);
  record("ranks", document.check.ranks);
  record.converted(
      "exit_code", [&] { return static_cast<int>(document.exit_code); },
      [&](int code) { document.exit_code = static_cast<ExitCode>(code); }, {},
      {.minimum = 0, .maximum = 4});
}

}  // namespace hpl
