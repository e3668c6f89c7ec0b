#include "expectation_part.h"

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

}  // namespace hpl::page
