#include "hpl/report/csv/run_table.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"
#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

class CsvFileTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return directory_ / "runs.csv"; }
  void write(const std::string& text) const { directory_.write("runs.csv", text); }
  std::string read() const { return directory_.read("runs.csv"); }
  std::string refusal() const {
    return test::message_of<ConfigError>([&] { CsvFile table(file(), run_table()); });
  }

  test::TemporaryDirectory directory_;
};

/// Fields of a line without quotes.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all(1);
  for (const char c : line) {
    if (c == '\n') break;
    if (c == ',')
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

const ProgramInfo kProgram{.name = "xhpl",
                           .version = "1.2.3",
                           .labels = {{"site", "north"}, {"rack", "7"}},
                           .job = BatchJob{"Slurm", "4711"}};

std::string field(const RunResult& run, const std::string& name) {
  const std::vector<std::string> names = fields(run_table().header);
  const std::vector<std::string> values = fields(run_row(run, kProgram));
  EXPECT_EQ(names.size(), values.size());
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
    if (names[i] == name) return values[i];
  ADD_FAILURE() << "no column " << name;
  return "";
}

TEST(CsvText, IsNoFormulaOfASpreadsheet) {
  for (const auto& [text, cell] :
       std::map<std::string, std::string>{{"=1+2", "'=1+2"},
                                          {"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"},
                                          {"-2+3", "'-2+3"},
                                          {"@SUM(1,2)", "\"'@SUM(1,2)\""},
                                          {"\t=1", "'\t=1"},
                                          {"\r=1", "\"'\r=1\""},
                                          {"=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""},
                                          {"-2.5e-3", "-2.5e-3"},
                                          {"+7", "+7"},
                                          {"node-1", "node-1"}})
    EXPECT_EQ(csv_text(text), cell);
  EXPECT_EQ(csv_number(-2.5), "-2.5");
  const ProgramInfo program{.labels = {{"=x", "1"}}};
  EXPECT_EQ(start_columns(program).back().second, "'=x=1");
}

TEST(CsvColumns, AreTheOnesThatFilesInUseHave) {
  EXPECT_EQ(run_table().header,
            "started,version,host,device,variant,n,nb,p,q,run,repetition,status,seconds,gflops,"
            "ceiling_gflops,efficiency_percent,residual,zero_pivot_column,rank_spread_percent,"
            "slowest_rank,power_watts,gflops_per_watt,hottest_celsius,checksum_faults,"
            "stopped_percent,projected_gflops,energy_joules,meter_watts,expected_seconds,rpeak_"
            "gflops,peak_efficiency_percent,checksum_comparisons,lu_gflops,refinement_seconds,"
            "refinement_iterations,others_percent,job,labels\n");
}

TEST(CsvRow, HoldsWhatTheReportSays) {
  RunResult run = test::passing_run();
  run.run_index = 2;
  run.rank_gflops = {4, 5};
  EXPECT_EQ(field(run, "started"), "2026-01-03T04:00:00Z");
  EXPECT_EQ(field(run, "version"), "1.2.3");
  EXPECT_EQ(field(run, "variant"), "WR11C2R4");
  EXPECT_EQ(field(run, "n"), "1000");
  EXPECT_EQ(field(run, "run"), "3");
  EXPECT_EQ(field(run, "repetition"), "1");
  EXPECT_EQ(field(run, "status"), "passed");
  EXPECT_EQ(field(run, "seconds"), "2.5");
  EXPECT_EQ(std::stod(field(run, "gflops")), run.gflops);
  EXPECT_EQ(std::stod(field(run, "efficiency_percent")), 200 * run.gflops);
  EXPECT_EQ(field(run, "residual"), "0.00321");
  EXPECT_EQ(field(run, "slowest_rank"), "rank 0");
  EXPECT_EQ(field(run, "projected_gflops"), "");
}

TEST(CsvRow, LeavesEmptyWhatIsNotKnown) {
  RunResult run = test::failing_run();
  run.residual->scaled = std::nan("");
  EXPECT_EQ(field(run, "residual"), "");
  EXPECT_EQ(field(run, "ceiling_gflops"), "");
  EXPECT_EQ(field(run, "status"), "failed");
}

TEST(CsvRow, HoldsTheEnergyOfTheMeter) {
  RunResult run = test::passing_run();
  run.power = test::metered_power();
  EXPECT_EQ(field(run, "energy_joules"), "1500");
  EXPECT_EQ(field(run, "meter_watts"), "600");
  run.power->meter.reset();
  EXPECT_EQ(field(run, "energy_joules"), "1250");
  EXPECT_EQ(field(run, "meter_watts"), "");
}

TEST(CsvRow, OfAStoppedRunHasAProjectionAndNoResult) {
  const RunResult run = test::stopped_run();
  EXPECT_EQ(field(run, "status"), "stopped");
  EXPECT_EQ(field(run, "gflops"), "");
  EXPECT_EQ(field(run, "seconds"), "");
  EXPECT_EQ(field(run, "efficiency_percent"), "");
  EXPECT_EQ(field(run, "stopped_percent"), "87.5");
  EXPECT_EQ(field(run, "projected_gflops"), "0.2304");
}

TEST(CsvRow, HoldsTheExpectedTimeWhereRatesAreKnown) {
  EXPECT_EQ(field(test::slower_run(), "expected_seconds"), "2");
  EXPECT_EQ(field(test::passing_run(), "expected_seconds"), "");
}

TEST(CsvRow, QuotesTextWithCommasAndQuotes) {
  RunResult run = test::passing_run();
  run.devices = {{.host = "node01", .device = "Chip \"7\", big"}};
  EXPECT_NE(run_row(run, kProgram).find(R"(,node01,"Chip ""7"", big",)"), std::string::npos);
}

TEST(CsvRow, EndsWithTheStartOfTheProgramInTextsWithoutCommas) {
  EXPECT_TRUE(
      run_row(test::passing_run(), kProgram).ends_with(",Slurm job 4711,site=north; rack=7\n"));
}

TEST_F(CsvFileTest, GetsItsHeaderWithTheFirstRowOnly) {
  const CsvFile table(file(), run_table());
  EXPECT_EQ(read(), "");
  table.append({"a\n"});
  table.append({"b\n"});
  EXPECT_EQ(read(), run_table().header + "a\nb\n");
}

TEST_F(CsvFileTest, AppendsToWhatEarlierJobsWrote) {
  write(run_table().header + "a\n");
  CsvFile(file(), run_table()).append({"b\n"});
  EXPECT_EQ(read(), run_table().header + "a\nb\n");
}

TEST_F(CsvFileTest, GoesOnWithTheColumnsThatATableHasBegunWith) {
  std::string header = run_table().header;
  header = header.substr(0, header.find(",rpeak_gflops")) + "\n";
  write(header);
  RunResult run = test::passing_run();
  run.peak = PeakRate{1, ""};
  CsvFile(file(), run_table()).append({run_row(run, kProgram)});
  const std::string whole = run_row(run, kProgram);
  EXPECT_EQ(fields(read().substr(header.size())).size(), fields(header).size());
  EXPECT_TRUE(whole.starts_with(read().substr(header.size(), read().size() - header.size() - 1)));
  EXPECT_EQ(field(run, "rpeak_gflops"), "1");
}

TEST_F(CsvFileTest, KeepsARowApartFromALineWithoutEnd) {
  write(run_table().header + "torn");
  CsvFile(file(), run_table()).append({"b\n"});
  EXPECT_EQ(read(), run_table().header + "torn\nb\n");
}

TEST_F(CsvFileTest, RefusesOtherColumnsAndLeavesTheFileAlone) {
  for (const std::string text : {"n,gflops\n1,2\n", "\n", "started", "started,version\r\n"}) {
    write(text);
    EXPECT_NE(refusal().find("must begin with the columns that this program writes"),
              std::string::npos)
        << text;
    EXPECT_EQ(read(), text);
  }
  write("n,gflops\n1,2\n");
  EXPECT_NE(refusal().find("found \"n,gflops\""), std::string::npos) << refusal();
}

TEST_F(CsvFileTest, RefusesWhatCannotBeWritten) {
  EXPECT_THROW(CsvFile(directory_.path(), run_table()), ConfigError);
  EXPECT_THROW(CsvFile(directory_ / "none" / "runs.csv", run_table()), ConfigError);
}

TEST_F(CsvFileTest, DoesNotMixInWithATableThatTookItsPlace) {
  const CsvFile table(file(), run_table());
  write("n,gflops\n");
  EXPECT_THROW(table.append({"a\n"}), RunError);
  EXPECT_EQ(read(), "n,gflops\n");
}

TEST_F(CsvFileTest, KeepsRowsOfJobsAtTheSameTimeInOnePiece) {
  constexpr int kJobs = 4, kRows = 50;
  const std::string row(3000, 'x');
  {
    std::vector<std::jthread> jobs;
    for (int job = 0; job < kJobs; ++job)
      jobs.emplace_back([&] {
        const CsvFile table(file(), run_table());
        for (int i = 0; i < kRows; ++i)
          table.append({row + "\n"});
      });
  }
  std::ifstream stream(file());
  std::string line;
  std::getline(stream, line);
  EXPECT_EQ(line + "\n", run_table().header);
  int rows = 0;
  for (; std::getline(stream, line); ++rows)
    EXPECT_EQ(line, row);
  EXPECT_EQ(rows, kJobs * kRows);
}

}  // namespace
}  // namespace hpl
