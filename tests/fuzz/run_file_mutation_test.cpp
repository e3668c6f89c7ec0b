#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/page/page.h"
#include "hpl_dat_property.h"
#include "mutator.h"
#include "unit/page/sample_job.h"

namespace hpl::test {
namespace {

constexpr long kMutants = 2'000;

const std::vector<std::string> kWords{
    "null",    "true",    "-1",   "1e999",    "-1e308", "99999999999999999999",
    "\"\"",    "[]",      "{}",   "[[[[[[[[", ",",      "\"",
    "\\u0000", "\\ud800", "\xff", "<script>", "NaN",    "0.1e-400",
    "}",       "]"};

/// The rule for any text as a report: a page is made of it, whole, or it is refused in one message.
std::optional<std::string> report_fault(const std::string& text) try {
  std::string page;
  try {
    const page::RunFile file = page::parse_run_file("run.json", text);
    page = page::build_page({&file, 1}, {});
  } catch (const ConfigError& error) {
    const std::string_view message = error.what();
    if (!message.starts_with("run.json: "))
      return "the message names no file: " + std::string(message);
    if (message.size() > kLongestMessage) return "the message is too long: " + std::string(message);
    if (message.find('\n') != message.npos) return "the message has lines: " + std::string(message);
    return std::nullopt;
  }
  if (!page.ends_with("</html>\n")) return "the page has no end";
  if (page.find("<script>alert") != page.npos) return "the page runs what a report says";
  return std::nullopt;
} catch (const std::exception& error) {
  return std::string("unexpected exception: ") + error.what();
}

TEST(RunFileMutation, EveryMutantMakesAPageOrIsRefusedInOneMessage) {
  JobReport job = sample_job();
  job.runs.push_back(cluster_run(3));
  job.runs.push_back(singular_run());
  const std::string whole = to_json(job);
  ASSERT_EQ(report_fault(whole), std::nullopt);
  const CampaignReport campaign{
      .program = {.name = "xhpl-campaign", .version = "1.2.3"},
      .hosts = {"n1"},
      .steps = {{.name = "check", .verdict = Verdict::Failed, .document = "check.json"}}};
  const std::string steps = json_text(to_json_value(campaign));
  ASSERT_EQ(report_fault(steps), std::nullopt);
  Mutator mutator({whole, to_json(sample_job()), steps}, kWords);
  for (long i = 0; i < mutants_wanted(kMutants); ++i) {
    const auto text = mutator.next();
    ASSERT_EQ(report_fault(text), std::nullopt) << "mutant " << i << ":\n" << text;
  }
}

}  // namespace
}  // namespace hpl::test
