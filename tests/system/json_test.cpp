#include <set>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

class JsonOutput : public XhplTest {
 protected:
  /// Checked ones, of the document, which knows no end, and its journal.
  std::size_t runs_of_an_unfinished_job() const {
    const json document = json_file("run.json");
    EXPECT_TRUE(document.at("exit_code").is_null());
    std::set<std::size_t> checked;
    const auto add = [&](std::size_t index, const json& run) {
      if (!run.at("residual").is_null()) checked.insert(index);
    };
    for (std::size_t index = 0; const json& run : document.at("runs"))
      add(index++, run);
    for (const std::string& text : split_lines(read_file("run.json.journal"))) {
      const json line = json::parse(text);
      add(line.at("index"), line.at("run"));
    }
    return checked.size();
  }
};

TEST_F(JsonOutput, HoldsEveryRunAndSaysPassed) {
  write_dat({.orders = {60, 90}, .grid_rows = {1}, .grid_columns = {2}});
  ASSERT_TRUE(all_passed(mpirun(2, "--json run.json"), 2));
  const json document = json_file("run.json");
  EXPECT_GE(document.at("schema_version").get<int>(), 1);
  EXPECT_EQ(document.at("exit_code").get<int>(), 0);
  EXPECT_EQ(document.at("tally").at("passed").get<int>(), 2);
  const json& runs = document.at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].at("spec").at("order").get<int>(), 90);
  EXPECT_GT(runs[1].at("gflops").get<double>(), 0);
  EXPECT_TRUE(runs[1].at("residual").at("passed").get<bool>());
}

TEST_F(JsonOutput, OnStandardOutputLeavesTheReportToStandardError) {
  write_dat({.orders = {60}});
  const Outcome outcome = mpirun(1, "--json -");
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_EQ(json::parse(outcome.output).at("tally").at("passed").get<int>(), 1);
  EXPECT_TRUE(shows(outcome, {"1 tests completed and passed"}));
}

TEST_F(JsonOutput, AgreesWithTheText) {
  write_dat({.orders = {100}});
  const Outcome outcome = mpirun(1, "--json run.json");
  ASSERT_TRUE(all_passed(outcome, 1));
  const Report report = parse_report(outcome.output);
  const json run = json_file("run.json").at("runs").at(0);
  EXPECT_EQ(run.at("spec").at("variant").get<std::string>(), report.runs[0].code);
  // The line holds five digits.
  EXPECT_NEAR(run.at("gflops").get<double>() / report.runs[0].gflops, 1.0, 1e-4);
  EXPECT_NEAR(run.at("residual").at("scaled").get<double>() / report.passed_residuals[0], 1.0,
              1e-7);
}

TEST_F(JsonOutput, OfAJobThatWasKilledHoldsWhatWasMeasured) {
  write_file("kill-a-job",
             "\"$1\" --no-attainable --no-check -N 60 --NB 16 --repeat 100000 --json run.json"
             " --output report &\n"
             "i=0\n"
             "until [ \"$(grep -s PASSED report | wc -l)\" -ge 30 ] || [ $i -ge 500 ]; do\n"
             "  i=$((i + 1)); sleep 0.1\n"
             "done\n"
             "kill -KILL $!\n"
             "wait $!\n");
  const Outcome killed = program({"sh", "kill-a-job", HPL_XHPL_PATH});
  ASSERT_EQ(killed.exit_code, 137) << describe(killed);
  const std::size_t runs = runs_of_an_unfinished_job();
  // A run is told in the report a moment before it is kept.
  const std::size_t told = parse_report(read_file("report")).passed_residuals.size();
  EXPECT_GE(told, 30U);
  EXPECT_GE(runs + 1, told);
  EXPECT_LE(runs, told);
  const Outcome page = report("run.json -o page.html");
  EXPECT_EQ(page.exit_code, 0) << describe(page);
  EXPECT_NE(read_file("page.html").find("NOT FINISHED"), std::string::npos);
}

TEST_F(JsonOutput, ThatOutgrowsALimitKeepsWhatWasMeasuredInItsJournal) {
  const Outcome outcome = mpirun_limited(
      "-f 100", "-N 100 --NB 4 -P 1 -Q 1 --repeat 100 --no-attainable --json run.json");
  ASSERT_TRUE(ended_with(outcome, 3, {"File too large"}));
  const std::size_t told = parse_report(outcome.output).passed_residuals.size();
  const std::size_t runs = runs_of_an_unfinished_job();
  EXPECT_GT(runs, 1U);
  // The last one, where neither file had room for it, is told alone.
  EXPECT_GE(runs + 1, told);
  EXPECT_LE(runs, told);
}

}  // namespace
}  // namespace hpl::test
