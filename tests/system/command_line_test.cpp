#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "hpl/base/json/json_text.h"
#include "hpl/machine/host/processor.h"
#include "hpl/machine/model/machine_sheet.h"
#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using CommandLine = XhplTest;

TEST_F(CommandLine, HelpIsPrintedOnceByAJobOfSeveralRanks) {
  EXPECT_TRUE(ended_with(alone("--help"), 0, {"\n  run ", "\n  devices "}));
  const Outcome outcome = mpirun(3, "--help");
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  const auto first = outcome.output.find("Usage: ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(outcome.output.find("Usage: ", first + 1), std::string::npos) << describe(outcome);
}

TEST_F(CommandLine, VersionNamesCompilerMpiBlasAndBackEndsOnce) {
  for (const Outcome& outcome : {alone("--version"), mpirun_measuring(3, "--version")}) {
    EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
    const std::vector<std::string> lines = split_lines(outcome.output);
    ASSERT_EQ(lines.size(), 5U) << describe(outcome);
    std::size_t line = 0;
    for (const char* const label : {"xhpl: ", "compiler: ", "MPI: ", "BLAS: ", "back ends: cpu"})
      EXPECT_TRUE(lines[line++].starts_with(label)) << label << " " << describe(outcome);
    const std::regex version("xhpl: [0-9.]+, commit ([0-9a-f]{8,}(-dirty)?|unknown)");
    EXPECT_TRUE(std::regex_match(lines.front(), version)) << lines.front();
  }
}

TEST_F(CommandLine, TheDevicesOfTheMachineAreListed) {
  const Outcome outcome = alone("devices");
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_NE(("\n" + outcome.output).find("\ncpu 0: "), std::string::npos) << describe(outcome);
}

TEST_F(CommandLine, ADeviceThatIsNotThereEndsTheJobWithOneMessage) {
  const Outcome outcome = mpirun(3, "--device hip -N 40 -P 1 -Q 3");
  EXPECT_EQ(outcome.exit_code, 3) << describe(outcome);
  int messages = 0;
  for (const std::string& line : split_lines(outcome.errors))
    messages += line.starts_with("xhpl: ") ? 1 : 0;
  EXPECT_EQ(messages, 1) << describe(outcome);
  EXPECT_TRUE(shows(outcome, {"--device hip: "}));
}

TEST_F(CommandLine, AMistakeIsRefusedOnceByAJobOfSeveralRanks) {
  write_dat({});
  EXPECT_TRUE(refused(mpirun(2, "--no-such-flag"), "--no-such-flag"));
  EXPECT_TRUE(refused(mpirun(2, "--NB 0"), "--NB"));
}

TEST_F(CommandLine, WithoutAFileTheCommandsThatNeedNoneAreNamed) {
  const Outcome outcome = alone("run");
  EXPECT_TRUE(ended_with(outcome, 2, {"xhpl launch run --auto ", "xhpl plan --auto -o HPL.dat "}));
  EXPECT_EQ(split_lines(outcome.errors).size(), 3U) << describe(outcome);
}

TEST_F(CommandLine, FlagsReplaceFieldsOfTheFile) {
  write_dat({});
  const Outcome outcome = mpirun(2, "-N 40,50 --NB=8 -P=1 -Q 2 --threshold 15");
  ASSERT_TRUE(all_passed(outcome, 2));
  const RunLine line = parse_report(outcome.output).runs.at(1);
  EXPECT_EQ(line.order, 50);
  EXPECT_EQ(line.block_size, 8);
  EXPECT_EQ(line.grid_columns, 2);
}

TEST_F(CommandLine, WhatCannotBePrintedIsNotTakenForPrinted) {
  const auto full = [&](const std::string& arguments) {
    return shell("\"$0\" " + arguments + " > /dev/full");
  };
  for (const char* const arguments : {"--help", "run --help", "help gates", "--version", "devices",
                                      "plan --no-attainable -N 30", "--no-attainable -N 30"}) {
    const Outcome outcome = full(arguments);
    EXPECT_EQ(outcome.exit_code, 3) << arguments << describe(outcome);
    const std::vector<std::string> lines = split_lines(outcome.errors);
    const auto own = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.starts_with("xhpl: ");
    });
    EXPECT_EQ(own, 1) << arguments << describe(outcome);
  }
}

TEST_F(CommandLine, FlagsAreEnoughWithoutAFile) {
  EXPECT_TRUE(all_passed(mpirun(2, "-N 60 --NB 16 -P 2 -Q 1"), 1));
}

TEST_F(CommandLine, RepetitionsAreRunsOfTheirOwn) {
  write_dat({.orders = {40}});
  EXPECT_TRUE(all_passed(mpirun(1, "--repeat 3"), 3));
}

TEST_F(CommandLine, APlanIsPrintedAndNothingRuns) {
  write_dat({.orders = {12345}, .grid_rows = {1}, .grid_columns = {2}});
  const Outcome outcome = mpirun(2, "plan");
  EXPECT_TRUE(ended_with(outcome, 0,
                         {"     12345 ", "One run. Why these settings:", "line 6 of HPL.dat",
                          "lines 11 and 12 of HPL.dat"}));
  const Report report = parse_report(outcome.output);
  EXPECT_TRUE(report.runs.empty());
  EXPECT_TRUE(report.passed_residuals.empty());
}

TEST_F(CommandLine, NbFollowsNWhereNobodyGivesIt) {
  const Words words = "plan --device cpu -N 600 -P 1 -Q 1 ";
  EXPECT_TRUE(ended_with(alone(words), 0, {"  NB               128           usual for this N"}));
  EXPECT_FALSE(shows(alone(words + "--NB 192"), {"usual for this N"}));
  EXPECT_TRUE(ended_with(alone(words + "--NB 48 -o HPL.dat"), 0, {}));
  EXPECT_TRUE(shows(alone(words), {"  NB               48            line 8 of HPL.dat"}));
}

TEST_F(CommandLine, APlanIsMadeForRanksThatAreNotAtHand) {
  const Words words = "plan --device cpu -N 12345 --ranks 8 --grid auto";
  const Outcome outcome = alone(words + "--ranks-per-node 2");
  EXPECT_TRUE(ended_with(
      outcome, 0,
      {"planned for 8 ranks on 4 nodes like this one", "  2 x 4 ", "one rank,", "times 8"}));

  const Outcome launched = mpirun(2, words);
  EXPECT_TRUE(
      ended_with(launched, 2, {"--ranks 8 plans without a launcher, found 2 ranks of one"}));

  const Outcome uneven = alone(words + "--ranks-per-node 3");
  EXPECT_TRUE(ended_with(uneven, 2, {"--ranks must fill its nodes with 3 ranks each, found 8"}));
}

TEST_F(CommandLine, APlanEstimatesTheTimeFromTheMeasuredRate) {
  const Outcome outcome = mpirun_measuring(1, "plan -N 2000 --NB 64 -P 1 -Q 1");
  EXPECT_TRUE(ended_with(outcome, 0, {"of the attainable rate of"}));
}

TEST_F(CommandLine, APlanWritesTheNameOfTheReportIntoItsFile) {
  write_dat({.output_file = "report.txt", .device_out = 8});
  const Outcome outcome = alone("plan --no-attainable -N=30 -o w.dat");
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_NE(read_file("w.dat").find("\nreport.txt "), std::string::npos) << read_file("w.dat");
  EXPECT_FALSE(std::filesystem::exists(directory() / "report.txt"));
}

TEST_F(CommandLine, AGivenOrderRunsOnTheRanksThatAreThereWhateverTheFileOfTheDirectorySays) {
  write_dat({.orders = {12345}, .block_sizes = {16}, .grid_rows = {2}, .grid_columns = {3}});
  const Outcome outcome = alone("--no-attainable -N 60");
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ(parse_report(outcome.output).runs.front().block_size, 16);
  EXPECT_TRUE(shows(outcome, {"# remark: HPL.dat lines 11 and 12: P and Q do not suit 1 rank"}));
  EXPECT_TRUE(refused(alone("--dat HPL.dat -N 60"), "2 x 3 = 6; start mpirun with"));
  EXPECT_TRUE(refused(alone("--NB 8"), "2 x 3 = 6; start mpirun with"));
}

TEST_F(CommandLine, APlanSaysWhereTheMemoryGoes) {
  const Outcome outcome = mpirun(2, "plan -N 1000 --NB 100 -P 2 -Q 1");
  EXPECT_TRUE(ended_with(
      outcome, 0, {"Memory of a rank", " matrix 4.1 MB,", "workspaces ", "exchange", "libraries"}));
}

TEST_F(CommandLine, WhatFillsTheMemoryIsNotRefused) {
  // Chunks as wide as those of GPUs, and several process rows: most of what is not the matrix.
  for (const char* const rows : {"1", "2"}) {
    const char* const columns = *rows == '1' ? "2" : "1";
    const Outcome outcome = mpirun(2, {"plan", "--auto", "--mem-fraction", "0.98", "--chunk",
                                       "32768", "-P", rows, "-Q", columns, "--NB", "512"});
    EXPECT_TRUE(ended_with(outcome, 0, {"One run. Why these settings:"}));
  }
}

TEST_F(CommandLine, AShareOfMemoryTooSmallForOneBlockIsRefused) {
  EXPECT_TRUE(refused(mpirun(1, "plan --mem-fraction 1e-9"), "--mem-fraction"));
}

TEST_F(CommandLine, TheReportGoesToAFileOnRequest) {
  write_dat({});
  const Outcome outcome = mpirun(1, "--output report.txt");
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_TRUE(parse_report(outcome.output).runs.empty());
  EXPECT_EQ(parse_report(read_file("report.txt")).passed, 1);
}

TEST_F(CommandLine, EveryChoiceIsExplainedAndNothingRuns) {
  const Outcome outcome = mpirun(2, "plan -N 500 --NB 32 --grid auto --pipeline coarse");
  EXPECT_TRUE(ended_with(outcome, 0,
                         {" 500 ", "-N asks for it", "NB ", " 32 ", "P x Q ", " 1 x 2 ",
                          "in one row", "coarse", "--pipeline asks for it", "Memory of a rank: ",
                          "matrix 1.1 MB, panel", "workspaces ", " cpu ", "compute threads "}));
  EXPECT_TRUE(parse_report(outcome.output).runs.empty());
}

TEST_F(CommandLine, AWrittenFileMakesTheSameRunsAgain) {
  const Outcome first =
      mpirun(2, "plan -N 333,500 --NB 24 --grid auto --bcast long --l1 plain -o again.dat");
  ASSERT_TRUE(ended_with(first, 0, {"\nR14"}));
  const Outcome again = mpirun(2, "plan --dat again.dat");
  // The reasons differ: flags there, lines of the file here.
  const auto table = [](const Outcome& plan) {
    std::vector<std::string> lines = split_lines(plan.output.substr(plan.output.find("Variant")));
    lines.resize(3);
    return lines;
  };
  EXPECT_EQ(table(again), table(first));
  EXPECT_NE(read_file("again.dat").find("\n1               L1 "), std::string::npos);
}

TEST_F(CommandLine, APlanWithRatesAndAPredictionHaveTheSameGrid) {
  MachineSheet sheet{.name = "made up", .nodes = 10};
  sheet.host = {.cores = 8,
                .product_gflops = 400,
                .peak_gflops = 500,
                .panel_gflops = 60,
                .memory_bytes = 64e9,
                .ranks = 4};
  sheet.in_node_gbytes = 10;
  Rates rates = rates_of(sheet);
  rates.peak_gflops = 125;
  write_file("rates.json", json_text(to_json_value(rates)));
  // The rule alone says 5 x 8. Here a column of four stays inside a node.
  EXPECT_TRUE(
      ended_with(alone("plan --ranks 40 --ranks-per-node 4 --rates rates.json -N 20000 --NB 192"),
                 0, {" 4 x 10 ", "faster than 5 x 8"}));
  EXPECT_TRUE(
      ended_with(alone("predict rates.json --nodes 10 -N 20000 --NB 192"), 0, {" 4 x 10 "}));
}

/// Libraries that are not those the program was linked with.
class Libraries : public XhplTest {};

TEST_F(Libraries, ABlasInFrontOfTheLinkedOneIsTheOneReported) {
  const Outcome linked = alone("--version");
  const Outcome other = alone("--version", {{"LD_PRELOAD", HPL_OTHER_BLAS}});
  const auto line = [](const Outcome& outcome) {
    for (const std::string& text : split_lines(outcome.output))
      if (text.starts_with("BLAS")) return text;
    return describe(outcome);
  };
  EXPECT_EQ(line(linked).find(HPL_OTHER_BLAS), std::string::npos) << line(linked);
  EXPECT_NE(line(other).find("CBLAS of " HPL_OTHER_BLAS), std::string::npos) << line(other);
  EXPECT_EQ(line(other).find("OpenBLAS"), std::string::npos) << line(other);
}

TEST_F(Libraries, TheBlasMakesLargeProductsOnRequest) {
  const Words run = "-N 2600 --NB 96 -P 1 -Q 1 --device cpu --threads 4 --no-bind";
  const Outcome packed = alone(run), by_blas = alone(run, {{"HPL_FP64_KERNEL", "blas"}});
  ASSERT_TRUE(all_passed(packed, 1));
  ASSERT_TRUE(all_passed(by_blas, 1));
  const bool has_kernel = cpu_features().contains("avx512f");
  EXPECT_EQ(shows(packed, {"products packed"}), has_kernel) << describe(packed);
  EXPECT_TRUE(shows(by_blas, {"(host threads and BLAS)"}));
  EXPECT_TRUE(ended_with(alone("-N 40 --device cpu", {{"HPL_FP64_KERNEL", "mkl"}}), 3,
                         {"HPL_FP64_KERNEL is \"mkl\"; allowed are packed and blas"}));
}

using ReportLines = XhplTest;

TEST_F(ReportLines, TheShareOfTheAttainableRateIsGivenUnlessItIsLeftOut) {
  // Smaller runs are over before a rate means anything: they have no such line.
  write_dat({.orders = {1000}, .block_sizes = {32}});
  const Outcome measured = mpirun_measuring(1, "--device cpu --json run.json");
  ASSERT_TRUE(all_passed(measured, 1));
  EXPECT_TRUE(shows(measured, {"# attainable:"}));
  // However disturbed the measurement was.
  const auto run = json_file("run.json").at("runs").at(0);
  EXPECT_LE(run.at("ceiling_share").get<double>(), 1);
  const auto& rates = run.at("ceiling_rates");
  EXPECT_EQ(rates.at(0).at("gflops"), run.at("ceiling_gflops"));
  std::set<std::string> sources;
  for (const auto& seen : rates)
    sources.insert(seen.at("source"));
  for (const char* const alone : {"alone before run 1", "alone after run 1"})
    EXPECT_TRUE(sources.contains(alone)) << rates;
  const Outcome unmeasured = mpirun(1);
  ASSERT_TRUE(all_passed(unmeasured, 1));
  EXPECT_FALSE(shows(unmeasured, {"# attainable:"}));
}

TEST_F(ReportLines, TheReportGoesWhereTheFileSays) {
  write_dat({.output_file = "report.txt", .device_out = 8});
  const Outcome to_file = mpirun(1);
  EXPECT_EQ(to_file.exit_code, 0) << describe(to_file);
  EXPECT_TRUE(parse_report(to_file.output).runs.empty());
  EXPECT_EQ(to_file.errors, "# the report goes to report.txt (HPL.dat line 3)\n");
  EXPECT_EQ(parse_report(read_file("report.txt")).passed, 1);
  write_dat({.output_file = "nowhere/HPL.out", .device_out = 0});
  EXPECT_TRUE(refused(mpirun(1), "HPL.dat line 3: .*'nowhere/HPL.out'"));

  write_dat({.device_out = 7});
  const Outcome to_errors = mpirun(1);
  EXPECT_EQ(to_errors.exit_code, 0) << describe(to_errors);
  EXPECT_EQ(parse_report(to_errors.errors).passed, 1);
}

}  // namespace
}  // namespace hpl::test
