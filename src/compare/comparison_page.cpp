#include <fmt/format.h>

#include "comparison_parts.h"
#include "hpl/compare/compare.h"
#include "hpl/report/page/format.h"

namespace hpl::page {
std::string comparison_part(const Comparison& comparison, std::size_t number) {
  std::string html = html_of(side_table(comparison), "");
  if (comparison.changes.empty()) html += fmt::format("<p class=\"left\">{}</p>\n", kNoChange);
  for (const auto& subject : kFactSubjects)
    html += titled_list(fmt::format("Changed {}", subject.name),
                        changed_lines(comparison, subject.value));
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const ComparedRun& run = comparison.runs[i];
    html += fmt::format("<h3>Each {}</h3>", escape(run_name(run)));
    for (const ComparedMember& kind : run.kinds)
      if (kind.points.size() > 1) html += html_of(kind_table(comparison, kind));
    html += fmt::format("<div data-comparison=\"{}\" data-run=\"{}\"></div>", number, i);
    for (const std::string& line : missing_lines(comparison, run))
      html += fmt::format("<p class=\"left\">{}</p>", escape(line));
  }
  return html + titled_list("Not compared: other runs", uncompared_lines(comparison)) +
         titled_list("Remarks", texts_of(comparison.remarks));
}

}  // namespace hpl::page
