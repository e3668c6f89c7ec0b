#include "expectation_part.h"

#include <fmt/format.h>

#include "findings.h"
#include "format.h"
#include "table.h"

namespace hpl::page {

Expectation read_expectation(const JsonCursor& from) {
  Expectation expectation{.model = from.at("model").text(),
                          .rates = from.find_text("rates").value_or(""),
                          .outcome = from.at("outcome").text(),
                          .seconds = from.find_number("seconds").value_or(0),
                          .error_seconds = from.find_number("error_seconds").value_or(0),
                          .phases = {},
                          .findings = from.texts("findings")};
  for (const JsonCursor& phase : from.elements("phases"))
    expectation.phases.push_back(
        {.name = phase.at("phase").text(),
         .rank = phase.find_integer("rank").value_or(0),
         .expected_seconds = phase.find_number("expected_seconds").value_or(0),
         .seconds = phase.find_number("seconds").value_or(0),
         .beyond = !phase.elements("ranks_beyond").empty()});
  return expectation;
}

std::vector<std::string> expectation_findings(const Run& run) {
  if (!run.expected || run.expected->findings.empty()) return {};
  std::vector<std::string> findings = run.expected->findings;
  if (run.expected->outcome == "as expected") findings.erase(findings.begin());
  return findings;
}

std::string expectation_part(const Run& run) {
  if (!run.expected) return {};
  const Expectation& expected = *run.expected;
  std::string html = "<h3>Expected and got</h3>";
  for (const std::string& finding : expected.findings)
    html += fmt::format("<p>{}</p>", escape(finding));
  if (expected.phases.empty()) return html;
  std::string rows =
      table_head({"Phase, without waiting for others", "Expected, s", "Got, s", "More, s", "Rank"});
  for (const ExpectedPhase& phase : expected.phases) {
    rows += fmt::format(
        R"(<tr{}><th scope="row">{}{}</th>{}{}{}{}</tr>)", phase.beyond ? R"( class="bad")" : "",
        escape(phase.name), phase.beyond ? ": beyond the model" : "",
        number_cell(number_text(phase.expected_seconds)), number_cell(number_text(phase.seconds)),
        number_cell(number_text(phase.seconds - phase.expected_seconds)),
        number_cell(rank_name(run, phase.rank)));
    rows += '\n';
  }
  return html + scrolled_table("Expected and got by phase, on the rank furthest beyond", rows);
}

}  // namespace hpl::page
