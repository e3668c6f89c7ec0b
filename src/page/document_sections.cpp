#include <fmt/format.h>

#include "hpl/check/report/check_text.h"
#include "hpl/compare/compare.h"
#include "hpl/fleet/page/fleet_part.h"
#include "hpl/fleet/report/fleet_text.h"
#include "hpl/report/page/format.h"
#include "hpl/run/report/run_tables.h"
#include "sections.h"

namespace hpl::page {
namespace {

/// Lines of a text report, a paragraph each.
std::string paragraphs(std::string_view text) {
  std::string html;
  for (const std::string_view line : split_lines(text))
    if (!line.empty()) html += fmt::format("<p>{}</p>\n", escape(line));
  return html;
}

std::string tables_html(const std::vector<Table>& tables) {
  std::string html;
  for (const Table& table : tables)
    html += titled_html_of(table);
  return html;
}

std::string prediction_html(const PredictionReport& predictions) {
  if (predictions.runs.empty()) return "<p>No runs.</p>\n";
  std::string html = paragraphs(prediction_head(predictions)) + tables_html(tables_of(predictions));
  for (const std::string& remark : texts_of(predictions.remarks))
    html += fmt::format("<p class=\"remark\">{}</p>\n", escape(remark));
  return html;
}

std::string search_html(const TuneReport& search) {
  std::string html = paragraphs(tune_head(search));
  for (const std::string& line : tune_results(search))
    html += paragraphs(line);
  if (!search.command.empty()) html += fmt::format("<pre>{}</pre>\n", escape(search.command));
  return html + tables_html(tables_of(search));
}

Table findings_table(const CheckReport& check) {
  Table table{.title = "What stands out", .columns = columns_of("where|kind|what")};
  for (const RankFinding& finding : check.findings) {
    const bool remark = finding.severity == Severity::Remark;
    table.add({place_of(finding),
               {name_of(kSeverities, finding.severity), remark ? "unchecked"
                                                        : finding.severity == Severity::Warning
                                                            ? "warned"
                                                            : "failed"},
               finding.text},
              !remark);
  }
  return table;
}

std::string check_html(const CheckReport& check) {
  std::string html = paragraphs(check_head(check));
  html += check.findings.empty() ? "<p>Nothing stands out.</p>\n"
                                 : titled_html_of(findings_table(check));
  return html + tables_html(tables_of(check));
}

/// A subject of all files, each below its name where they are several. `html_of_file` is empty
/// where a file has nothing of it.
template <class HtmlOfFile>
std::string section(std::span<const RunFile> files, std::string_view title,
                    HtmlOfFile html_of_file) {
  const std::vector<std::string> names = short_names(files);
  std::string html;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (const std::string part = html_of_file(files[i]); !part.empty())
      html += (files.size() > 1 ? fmt::format("<h3>{}</h3>", escape(names[i])) : "") + part;
  return html.empty() ? "" : fmt::format("<section><h2>{}</h2>{}</section>\n", title, html);
}

}  // namespace

std::vector<Table> tables_of(const RunFile& file) {
  if (file.fleet) return tables_of(*file.fleet);
  if (file.search) return tables_of(*file.search);
  if (file.predictions) return tables_of(*file.predictions);
  if (file.job.runs.size() == 1) return tables_of(file.job.runs.front());
  if (file.job.preflight) return tables_of(*file.job.preflight);
  return {};
}

std::vector<NamedComparison> comparisons_of(std::span<const RunFile> files) {
  std::vector<NamedComparison> all;
  const std::vector<std::string> names = short_names(files);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i].comparison) all.push_back({names[i], *files[i].comparison});
  for (const auto& fleets : by_member(fleets_of(files)))
    if (fleets.size() > 1)
      all.push_back({fmt::format("Each {}", name_of(kFleetMemberKinds, fleets.back()->each)),
                     compare_fleets(fleets)});
  return all;
}

std::string document_sections(std::span<const RunFile> files,
                              std::span<const NamedComparison> comparisons) {
  std::string html;
  for (std::size_t i = 0; i < comparisons.size(); ++i)
    html +=
        (comparisons.size() > 1 ? fmt::format("<h3>{}</h3>", escape(comparisons[i].name)) : "") +
        comparison_part(comparisons[i].comparison, i);
  if (!html.empty()) html = "<section><h2>What changed</h2>" + html + "</section>\n";
  return html +
         section(files, "Predicted",
                 [](const RunFile& file) {
                   return file.predictions ? prediction_html(*file.predictions) : "";
                 }) +
         section(files, "Search for settings",
                 [](const RunFile& file) { return file.search ? search_html(*file.search) : ""; }) +
         section(files, "Before the runs", [](const RunFile& file) {
           return file.job.preflight ? check_html(*file.job.preflight) : "";
         });
}

}  // namespace hpl::page
