#include "hpl/check/report/check_text.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

/// Lengths of lists.
struct Room {
  std::size_t lines = 40;
  std::size_t names = 8;  ///< in a line
};

Room room_of(Detail detail) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  return detail == Detail::Everything ? Room{kAll, kAll} : Room{};
}

constexpr int kRemarksShown = 5;

/// The rank by its number. A document of runs holds no ranks; null.
const RankRecord* record_of(const CheckReport& report, int rank) {
  return rank >= 0 && rank < std::ssize(report.ranks) ? &report.ranks[rank] : nullptr;
}

std::string host_of(const CheckReport& report, int rank) {
  const RankRecord* const record = record_of(report, rank);
  return fmt::format("rank {}{}", rank, record != nullptr ? " on " + record->host : "");
}

/// The host itself is no device to name.
std::string with_device(std::string rank, std::string_view device) {
  return device.empty() || device == "cpu" ? std::move(rank) : fmt::format("{}, {}", rank, device);
}

std::string device_of(const CheckReport& report, int rank) {
  const RankRecord* const record = record_of(report, rank);
  return with_device(host_of(report, rank), record != nullptr ? record->device : "");
}

/// The findings that are wanted, those with equal words in one line.
template <class Wanted>
std::vector<std::string> lines_of(const CheckReport& report, Wanted wanted,
                                  std::size_t names_shown = Room().names) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  std::map<std::string, std::size_t> places;
  for (const RankFinding& finding : report.findings) {
    if (!wanted(finding)) continue;
    const auto [place, is_new] = places.try_emplace(finding.text, lines.size());
    if (is_new) lines.push_back({finding.text, {}});
    lines[place->second].second.push_back(place_of(finding));
  }
  std::vector<std::string> texts;
  for (const auto& [what, names] : lines) {
    const std::size_t shown = std::min(names.size(), names_shown);
    std::string text = fmt::format(
        "{}: {}",
        fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), "; "), what);
    if (shown < names.size()) text += fmt::format(" (and {} more)", names.size() - shown);
    texts.push_back(one_line(std::move(text)));
  }
  return texts;
}

std::string worst_of(const CheckReport& report, const MetricSummary& summary) {
  if (info(summary.metric).better == Better::Neither || summary.count < 2) return {};
  if (summary.worst_peer != kNoPeer)
    return fmt::format("{} and {}", host_of(report, summary.worst_rank),
                       host_of(report, summary.worst_peer));
  return info(summary.metric).owner == Owner::Device ? device_of(report, summary.worst_rank)
                                                     : host_of(report, summary.worst_rank);
}

/// The name of a figure, of several kinds of processors or devices with the kind.
std::string label_of(std::string_view name, int groups, const std::string& group) {
  return groups > 1 ? fmt::format("{} ({})", name, group) : std::string(name);
}

Table figure_table(const CheckReport& report) {
  std::map<Figure, int> groups;
  for (const MetricSummary& summary : report.summaries)
    ++groups[summary.metric];
  Table table{.title = "What was measured",
              .columns = columns_of("figure|unit|>min|>median|>max|>values|worst")};
  for (const MetricSummary& summary : report.summaries)
    table.add({label_of(info(summary.metric).label, groups[summary.metric], summary.group),
               std::string(info(summary.metric).unit), short_number(summary.minimum),
               short_number(summary.median), short_number(summary.maximum),
               std::to_string(summary.count), worst_of(report, summary)});
  return table;
}

Table deep_table(const CheckReport& report) {
  std::map<std::string, int> groups;
  for (const DeepSummary& summary : report.deep)
    ++groups[summary.about.key];
  Table table{.title = "Copies and starts",
              .columns = columns_of("deep figure|unit|>min|>median|>max|>share|worst")};
  for (const DeepSummary& summary : report.deep) {
    const DeepFigure& about = summary.about;
    table.add({label_of(about.label, groups[about.key], summary.group), about.unit,
               short_number(summary.minimum), short_number(summary.median),
               short_number(summary.maximum),
               about.share ? fmt::format("{:.2f}", *about.share) : "",
               summary.count < 2 ? ""
               : about.of_device ? device_of(report, summary.worst_rank)
                                 : host_of(report, summary.worst_rank)});
  }
  return table;
}

std::string skipped_text(const CheckReport& report, Detail detail) {
  std::map<std::pair<std::string, std::string>, std::int64_t> notes;
  for (const RankRecord& rank : report.ranks)
    for (const ProbeNote& note : rank.skipped)
      ++notes[{note.probe, note.reason}];
  std::string text;
  if (notes.size() > 1 && detail != Detail::Everything) {
    text = fmt::format("not measured: {}, mostly for want of ranks, nodes or a GPU (-v)\n",
                       count_text(notes.size(), "probe"));
    notes.clear();
  }
  for (const auto& [note, ranks] : notes) {
    text += fmt::format("not measured: {}: {}", note.first, note.second);
    if (ranks < std::ssize(report.ranks)) text += fmt::format(" ({})", count_text(ranks, "rank"));
    text += "\n";
  }
  if (shares_cores(report))
    text += "not compared: ranks share cores\n";
  else if (std::ranges::any_of(report.summaries, [](const MetricSummary& summary) {
             const Better better = info(summary.metric).better;
             return summary.count < kFewestPeers &&
                    (better == Better::Higher || better == Better::Lower);
           }))
    text += fmt::format("not compared{}: kinds with fewer than {} values\n",
                        report.reference ? " with each other" : "", kFewestPeers);
  return text;
}

bool is_disturbed(const RankFinding& finding) {
  return finding.basis == Basis::Disturbed;
}

/// A warning by the counters of device or host.
bool is_counted(const RankFinding& finding) {
  return finding.severity == Severity::Warning && finding.basis == Basis::Device;
}

template <class Wanted>
std::string findings_text(const CheckReport& report, Wanted wanted, const Room& room,
                          std::string_view heading) {
  const auto lines = lines_of(report, wanted, room.names);
  if (lines.empty()) return {};
  std::string text = fmt::format("\n{}\n", heading);
  for (const std::string& line : std::span(lines).first(std::min(lines.size(), room.lines)))
    text += fmt::format("  {}\n", line);
  if (lines.size() > room.lines)
    text += fmt::format("  and {} more; --verbose shows all of them\n", lines.size() - room.lines);
  return text;
}

std::string verdict(const CheckReport& report) {
  const ExitCode code = exit_code_of(report);
  const auto disturbed = std::ranges::count_if(report.findings, is_disturbed);
  const auto faults = count(report, Severity::Fault);
  const auto outliers = std::ranges::count_if(report.findings, is_outlier);
  const auto counted = std::ranges::count_if(report.findings, is_counted);
  std::string text =
      is_sound(report)
          ? fmt::format("{}: no fault, no outlier", disturbed + counted > 0 ? "warned" : "sound")
          : fmt::format("{}: {}, {}",
                        code == ExitCode::Failed ? "wrong"
                        : code == ExitCode::Slow ? "slow"
                                                 : "warned",
                        count_text(faults, "fault"), count_text(outliers, "outlier"));
  if (disturbed > 0) text += fmt::format(", {} disturbed", disturbed);
  if (counted > 0) text += ", " + count_text(counted, "warning");
  if (const auto remarks = count(report, Severity::Remark); remarks > 0)
    text += fmt::format(", {}", count_text(remarks, "remark"));
  return text;
}

}  // namespace

std::string place_of(const RankFinding& finding) {
  const std::string rank = fmt::format("rank {} on {}", finding.rank, finding.host);
  if (finding.peer == kNoPeer) return with_device(rank, finding.device);
  const bool stands_for_many = finding.bad_links > 0;
  return fmt::format("{} {} rank {} on {}{}", rank, stands_for_many ? "(that to" : "and",
                     finding.peer, finding.peer_host.value_or("an unknown host"),
                     stands_for_many ? ")" : "");
}

std::string check_head(const CheckReport& report) {
  return fmt::format("Pre-flight check of {} on {}: {:.1f} s",
                     count_text(report.rank_count, "rank"), count_text(report.node_count, "node"),
                     report.seconds);
}

std::vector<Table> tables_of(const CheckReport& report) {
  std::vector<Table> tables{figure_table(report)};
  if (!report.deep.empty()) tables.push_back(deep_table(report));
  return tables;
}

std::string check_text(const CheckReport& report, const TextStyle& style) {
  const Room room = room_of(style.detail);
  std::string remarks;
  for (const Remark& remark : report.remarks)
    remarks += fmt::format("remark: {}\n", one_line(remark.text));
  std::string figures;
  for (const Table& table : tables_of(report))
    figures += (figures.empty() ? "" : "\n") + text_of(table);
  const std::string outliers = fmt::format(
      "Outliers, more than {:g} % worse than {} (links: see docs/checking.md):",
      100 * report.tolerance, report.reference ? "the median or the reference" : "the median");
  const auto with = [](Severity severity) {
    return [severity](const RankFinding& one) {
      return one.severity == severity && !is_disturbed(one) && !is_counted(one);
    };
  };
  const std::string reference =
      report.reference ? fmt::format("compared with {} as well, of {}\n",
                                     one_line(report.reference->source), report.reference->written)
                       : "";
  return StyledText(style)
      .add(Detail::Usual, remarks)
      .add(Detail::Usual, fmt::format("{}\n{}\n", check_head(report), reference))
      .add(Detail::Usual, figures + "\n" + skipped_text(report, style.detail))
      .add(Detail::Verdict, findings_text(report, with(Severity::Fault), room, "Faults:"))
      .add(Detail::Verdict, findings_text(report, with(Severity::Slow), room,
                                          "Outliers that fail (see docs/accepting.md):"))
      .add(Detail::Verdict, findings_text(report, with(Severity::Warning), room, outliers))
      .add(Detail::Verdict, findings_text(report, is_counted, room, "Warnings of the hardware:"))
      .add(Detail::Verdict, findings_text(report, is_disturbed, room, "Disturbed:"))
      .add(Detail::Usual, findings_text(report, with(Severity::Remark), room, "Remarks:"))
      .add(Detail::Verdict, fmt::format("\nVerdict: {}\n", verdict(report)))
      .text();
}

std::string check_line(const CheckReport& report) {
  std::string text = fmt::format("{} ({:.1f} s)", verdict(report), report.seconds);
  for (const MetricSummary& summary : report.summaries)
    if (summary.metric == Figure::HostDgemm || summary.metric == Figure::DeviceDgemmBurst)
      text +=
          fmt::format("; {} {} to {} {}", info(summary.metric).label, short_number(summary.minimum),
                      short_number(summary.maximum), info(summary.metric).unit);
  return text;
}

std::vector<Remark> check_remarks(const CheckReport& report) {
  std::vector<std::string> lines;
  const auto is_new = [&](const RankFinding& one) {
    // The head of every report holds kernels below the machine. Other work that made a figure worse
    // slows down the run as well; without such a figure it is left out.
    return one.severity != Severity::Remark && (one.basis != Basis::Disturbed || one.figure) &&
           one.text != report.ranks[one.rank].kernel_warning;
  };
  for (const std::string& line : lines_of(report, is_new))
    lines.push_back("pre-flight: " + line);
  if (const std::size_t all = lines.size(); all > kRemarksShown) {
    lines.resize(kRemarksShown);
    lines.push_back(
        fmt::format("pre-flight: {} more findings; xhpl check shows them", all - kRemarksShown));
  }
  return remarks_about("pre-flight", lines);
}

}  // namespace hpl
