#include "hpl/run/report/text_report.h"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <regex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/text/text_style.h"
#include "hpl/run/report/head_text.h"
#include "support/holds.h"
#include "support/test_files.h"
#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

class TextReportTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }

  std::string text_of(const RunResult& run, const TextStyle& style = {}) {
    std::ostringstream out;
    TextReport(out, style).run(run);
    return test::unfolded(out.str());
  }

  std::string closing(const Tally& tally, double threshold) {
    std::ostringstream out;
    TextReport(out).end(tally, threshold);
    return out.str();
  }

  /// Passed, failed and singular run between opening and closing lines.
  std::string whole_report(const TextStyle& style = {.detail = Detail::Everything}) {
    std::ostringstream out;
    TextReport report(out, style);
    report.begin(test::fixed_header());
    RunResult second = test::passing_run();
    second.gflops *= 2;
    second.attainable_gflops = second.gflops;
    second.attainable_rates.insert(second.attainable_rates.begin(),
                                   {{RateSource::Moment::WholeRun}, second.gflops});
    const std::vector<RunResult> repeats{test::passing_run(), second};
    for (const RunResult& run : repeats)
      report.run(run);
    report.repeats(repeats);
    report.run(test::failing_run());
    report.run(test::singular_run());
    const JobReport job{.runs = {repeats[0], second, test::failing_run(), test::singular_run()},
                        .tally = {.passed = 2, .failed = 2, .skipped = 1}};
    report.end(job.tally, 16.0);
    const std::vector<NextStep> next{{"xhpl fleet", "finds the device at fault"}};
    report.summary(job, next);
    return out.str();
  }
};

std::string replaced(std::string text, const std::string& mark, const std::string& value) {
  for (auto at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + value.size())) {
    text.replace(at, mark.size(), value);
  }
  return text;
}

TEST_F(TextReportTest, MarksAnEmulatedRun) {
  RunResult run = test::passing_run();
  EXPECT_EQ(text_of(run).find("# arithmetic"), std::string::npos);
  run.spec.emulated_moduli = 14;
  const std::string text = text_of(run);
  EXPECT_TRUE(test::holds(
      text, {"\nER11C2R4        1000",
             "\n# arithmetic: FP64 emulated by 14 INT8 products, Ozaki II (tail update; "
             "all else FP64)\n"}));
}

TEST_F(TextReportTest, OfHplMxpHasItsCodeItsPartsAndItsLabel) {
  const std::string text = text_of(test::mixed_run());
  EXPECT_NE(text.find("\nMR11H16G        1000   128     2     3 "), std::string::npos) << text;
  EXPECT_EQ(text.find("pdgesv"), std::string::npos);
  EXPECT_TRUE(
      test::holds(text, {"# arithmetic: HPL-MxP: FP16 products, FP16 storage, conforming matrix",
                         "# LU alone: 333.3 MFLOP/s in 2.000 s; refinement: 0.500 s, 2 iterations\n"
                         "# scaled residual: 1.50e+05 by the factors, 4.20e+01, 3.21e-03\n"
                         "# matrix: 2 bytes an entry, 333 kB a rank; stored 2^-3 times A\n"}));
  EXPECT_EQ(text_of(test::passing_run()).find("LU alone"), std::string::npos);
}

/// Netlib's lines, columns and closing counts among them; printf("W%c%1d%c%c%1d%c%1d%12d %5d %5d
/// %5d %18.2f    %19.4e") writes the line of a run.
TEST_F(TextReportTest, MatchesTheGoldenReportByteForByte) {
  EXPECT_EQ(whole_report(),
            replaced(test::text_of(test::golden_file("report_whole.txt")), "# variant: @VARIANT@",
                     folded("# variant: " + describe_variant(test::fixed_spec()), "#   ")));
}

TEST_F(TextReportTest, OfAVerdictHasNetlibsResultsAndTheSummaryAlone) {
  std::istringstream lines(whole_report({.detail = Detail::Verdict}));
  const std::regex kept(
      R"(^(=+|-+||T/V .*|WR.*|HPL_pdgesv.*|\|\|.*|Zero pivot: .*|# failed: 2 of 4 runs; .*)$)");
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_TRUE(std::regex_match(line, kept)) << line;
  EXPECT_GT(count, 4 * 8);
}

TEST_F(TextReportTest, OfAVerdictKeepsEveryLabelAndFault) {
  RunResult run = test::passing_run();
  run.spec.emulated_moduli = 14;
  run.spec.matrix = MatrixRequest::Host;
  run.spec.threshold = 100;
  run.differs_from = 17;
  run.checksums.emplace();
  const std::string text = text_of(run, {.detail = Detail::Verdict});
  for (const char* line :
       {"\n# arithmetic: FP64 emulated by 14 INT8", "\n# matrix: --matrix host\n",
        "\n# threshold: 100, above netlib's 16\n", ", not 0000000000000011 as in the first",
        "\n# checksums: compared 0 times"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  EXPECT_EQ(text.find("# attainable"), std::string::npos) << text;
}

TEST_F(TextReportTest, OfAVerdictNamesGatesThatWereMissed) {
  std::ostringstream out;
  const std::vector<GateResult> gates{
      {.gate = "--min-gflops", .limit = 1, .held = true, .reason = "held well"},
      {.gate = "--max-spread", .limit = 2, .held = false, .reason = "3 %"}};
  TextReport(out, {.detail = Detail::Verdict}).gates(gates);
  EXPECT_EQ(out.str(), "# gate --max-spread 2: missed, 3 %\n");
}

TEST_F(TextReportTest, UsuallyLeavesOutWhatFewReadersNeed) {
  const std::string usual = whole_report({});
  for (const char* line : {"# variant:", "# phase"})
    EXPECT_EQ(usual.find(line), std::string::npos) << line;
  EXPECT_TRUE(
      test::holds(usual, {"# host ", "# remark:", "# attainable:", "End of Tests.", "# next:"}));
}

TEST_F(TextReportTest, HasEscapesAroundTheVerdictAloneAndOnlyInColor) {
  const std::string plain = text_of(test::passing_run()), escape = "\x1b[";
  EXPECT_EQ(plain.find(escape), std::string::npos);
  std::string color = text_of(test::passing_run(), {.color = true});
  EXPECT_TRUE(
      test::holds(color, {"...... \x1b[32mPASSED\x1b[0m\n", "\n\x1b[33m# remark:\x1b[0m DEPTH 3"}));
  EXPECT_EQ(std::regex_replace(color, std::regex("\x1b\\[[0-9]+m"), ""), plain);
  EXPECT_TRUE(
      test::holds(text_of(test::failing_run(), {.color = true}), {" \x1b[31mFAILED\x1b[0m\n"}));
}

TEST_F(TextReportTest, KeepsTheFieldsApartWhenTheyOutgrowTheirColumns) {
  RunResult run = test::passing_run();
  run.spec.order = 123456789012345;
  run.spec.block_size = 1234567;
  // Twelve digits of N are netlib's column; past it the code and N touch, exactly as netlib prints
  // them.
  EXPECT_TRUE(std::regex_search(
      text_of(run), std::regex(R"(\nWR11C2R4 *123456789012345 1234567 +2 +3 +2\.50 +\S+\n)")));
}

TEST_F(TextReportTest, KeepsTheWordsThatScriptsSearchForOutOfItsOwnLines) {
  std::istringstream lines(whole_report());
  int own_lines = 0;
  const std::regex word("WR|WC|PASSED|FAILED|Gflops|T/V|tests|HPL_pdgesv");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("# ")) continue;
    ++own_lines;
    EXPECT_FALSE(std::regex_search(line, word)) << line;
  }
  EXPECT_GT(own_lines, 10);
}

TEST_F(TextReportTest, BeginsWithTheWordThatParsersLookForAndAVersion) {
  EXPECT_TRUE(std::regex_search(whole_report(), std::regex("^=+\nHPLinpack 1\\.2\\.3  --  ")));
}

TEST_F(TextReportTest, HasTheSameBytesWhereTheRowOfARunCameBeforeItsCheck) {
  for (const RunResult& run : {test::passing_run(), test::failing_run(), test::stopped_run()}) {
    std::ostringstream out;
    TextReport report(out);
    RunResult unchecked = run;
    unchecked.residual.reset();
    for (int i = 0; i < 2; ++i) {
      report.row(unchecked);
      report.row(unchecked);
      const std::string row = out.str();
      report.run(run);
      EXPECT_TRUE(out.str().starts_with(row));
      if (i == 0) {
        EXPECT_EQ(test::unfolded(out.str()), text_of(run));
      }
    }
  }
}

TEST_F(TextReportTest, TellsARemarkOnceAndThenTheNumberOfItsRuns) {
  std::ostringstream out;
  TextReport report(out);
  RunResult other = test::passing_run();
  other.remarks = {warning("NB", "of one run")};
  for (int i = 0; i < 3; ++i)
    report.run(test::passing_run());
  report.run(other);
  report.end({.passed = 4}, 16.0);
  const std::string text = out.str(), remark = "# remark: DEPTH 3 runs as 1\n";
  EXPECT_EQ(text.find(remark), text.rfind(remark)) << text;
  EXPECT_LT(text.find(remark), text.find("# solution hash")) << "below the first run that has it";
  EXPECT_TRUE(test::holds(text, {"End of Tests.\n", "\n# remark: of one run\n",
                                 "=\n# remark in 3 of 4 runs: DEPTH 3 runs as 1\n"}));
  EXPECT_FALSE(test::holds(text, {"runs: of one run"}));
}

TEST_F(TextReportTest, OfARunOfMillisecondsHasNoAccountOfItsTime) {
  RunResult run = test::passing_run();
  run.peak = PeakRate{1, "6 x (--rpeak 0.1)"};
  run.account.emplace();
  run.account->exposed[Phase::Multiply] = 1;
  const std::vector<std::string> lines{"# time of the mean rank", "# Rpeak"};
  for (const std::string& line : lines)
    EXPECT_TRUE(test::holds(text_of(run), {line}));
  run.seconds = 0.09;
  for (const std::string& line : lines) {
    EXPECT_FALSE(test::holds(text_of(run), {line}));
    EXPECT_TRUE(test::holds(text_of(run, {.detail = Detail::Everything}), {line}));
  }
}

/// A report in which every line that can be is there, with words that are `longest` long.
std::string report_of_everything(const std::string& host) {
  JobHeader header = test::fixed_header();
  header.program.command =
      "xhpl run -N 1000 --NB 128 -P 2 -Q 3 --repeat 4 --json run.json --page x";
  header.environment = {{"host", host}, {"pre-flight", std::string(30, 'x') + " " + host}};
  header.remarks.push_back(note("N",
                                "N = 1000: the largest that fits into 80 % of 1.00 GB a rank "
                                "(MemAvailable)"));
  RunResult full = test::slower_run();
  full.spec.emulated_moduli = 14;
  full.spec.threshold = 100;
  full.power = test::metered_power();
  full.remarks = {warning("BCAST",
                          "BCAST 1ring: NCCL moves panels by a broadcast of its own, or by "
                          "long where that was faster; another --transport leaves the "
                          "choice to BCAST")};
  full.peak =
      PeakRate{2 * full.gflops, "6 x (24 cores x 16 flop/cycle (AVX2) x 2445 MHz (highest clock))"};
  full.rank_gflops = {50, 40, 45};
  full.rank_attainable_gflops = {52, 42, 46};
  full.devices = {{.rank = 1, .host = host}};
  full.differs_from = 17;
  full.traffic = {1'250'000'000, 1'250'000'000, 1'250'000'000, 1'250'000'000};
  full.transports = {
      TransportUse{.ranks = 3, .name = "nccl", .bandwidth = 1e2, .device_bytes = 1'500'000'000},
      TransportUse{.ranks = 2, .name = "mpi", .bandwidth = 1e2, .device_bytes = 0}};
  full.host_work = HostWork{};
  full.checksums = ChecksumResult{.interval = 4,
                                  .faults = {{.rank = 1,
                                              .first_step = 40,
                                              .last_step = 43,
                                              .rows = 2,
                                              .first_row = 811,
                                              .difference = 3}}};
  full.residual->samples = {.rows = 32, .wrong = 9, .own = -0.5, .tolerance = 1e-12};
  RunResult stopped = test::stopped_run();
  std::ostringstream out;
  TextReport report(out, {.detail = Detail::Everything});
  report.begin(header);
  for (const RunResult& run : {full, full, test::mixed_run(), test::singular_run(), stopped})
    report.run(run);
  report.checksums(full);
  report.repeats(std::vector<RunResult>{full, full});
  const JobReport job{.runs = {full}, .tally = {.failed = 1}};
  report.end({.passed = 1, .failed = 2, .unchecked = 1, .stopped = 1}, 16.0);
  report.gates(std::vector<GateResult>{
      {.gate = "--min-gflops", .limit = 100, .held = false, .reason = host + " " + host}});
  const std::vector<NextStep> next{{"xhpl launch -n 16 run --auto", "N = 10368 fits, about 42 s"}};
  report.summary(job, next);
  return out.str();
}

TEST_F(TextReportTest, KeepsToEightyColumnsAndToWAtTheBeginningOfRunsAlone) {
  std::istringstream lines(report_of_everything("node01"));
  const std::regex run("WR11C2R4 .*");
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_TRUE(!line.starts_with('W') || std::regex_match(line, run)) << line;
  }
}

TEST_F(TextReportTest, LeavesALongNameWhole) {
  const std::string host = "node01." + std::string(90, 'x') + ".example";
  EXPECT_TRUE(test::holds(report_of_everything(host), {"# host       : " + host, host + ")"}));
}

TEST_F(TextReportTest, CallsANaNFailed) {
  RunResult run = test::passing_run();
  run.residual->scaled = std::numeric_limits<double>::quiet_NaN();
  const std::string text = text_of(run);
  EXPECT_NE(text.find("N)=              nan ...... FAILED\n"), std::string::npos);
  EXPECT_EQ(text.find("PASSED"), std::string::npos);
}

TEST_F(TextReportTest, GivesNoVerdictOnAnUncheckedRun) {
  RunResult run = test::passing_run();
  run.residual.reset();
  EXPECT_FALSE(std::regex_search(text_of(run), std::regex("PASSED|FAILED|Ax-b")));
}

TEST_F(TextReportTest, ClosesWithoutVerdictsWhenTheThresholdIsNotPositive) {
  const std::string text = closing({.unchecked = 5}, -1.0);
  EXPECT_TRUE(
      test::holds(text, {"results:\n              5 tests completed without checking,\n"
                         "              0 tests skipped because of illegal input values.\n"}));
  EXPECT_EQ(text.find("residual checks"), std::string::npos);
}

TEST_F(TextReportTest, DoesNotHideAFailureAmongUncheckedRuns) {
  EXPECT_TRUE(test::holds(closing({.failed = 1, .unchecked = 4}, 0.0),
                          {"     1 tests failed without a residual check,"}));
}

TEST_F(TextReportTest, SaysWhatWasExpectedAndWhatIsBeyondTheModel) {
  EXPECT_EQ(text_of(test::passing_run()).find("expected"), std::string::npos);
  EXPECT_TRUE(
      test::holds(text_of(test::slower_run()),
                  {"# expected 2 s by the simulated model, got 2.5 s: 25.0 % longer, beyond the "
                   "model's error of 0.1 s\n"
                   "# expected: row swap on rank 3: 0.75 s, 3.0 times the 0.25 s that its links "
                   "and copies allow\n"
                   "# phase without waiting  expected s   got s  rank\n"
                   "# row swap                   0.2500  0.7500     3\n"
                   "# matrix multiply            1.5000  1.5000     0\n"}));
}

TEST_F(TextReportTest, SaysNothingAboutASingleRepetition) {
  std::ostringstream out;
  const std::vector<RunResult> one{test::passing_run()};
  TextReport(out).repeats(one);
  EXPECT_EQ(out.str(), "");
}

TEST_F(TextReportTest, ThrowsAtTheEndWhenTheOutputIsIncomplete) {
  std::ofstream full("/dev/full");
  ASSERT_TRUE(full);
  TextReport report(full);
  report.run(test::passing_run());
  EXPECT_THROW(report.end({.passed = 1}, 16.0), RunError);
  EXPECT_THROW(report.summary({}, {}), RunError);
}

TEST(ParameterText, BreaksAListAfterEightValues) {
  ParameterBlock block;
  for (int n = 1; n <= 9; ++n)
    block.orders.push_back(n * 1000);
  EXPECT_TRUE(parameter_text(block).starts_with(
      "N      :    1000     2000     3000     4000     5000     6000     7000     8000 \n"
      "            9000 \n"));
}

TEST(ParameterText, UsesNetlibsWords) {
  ParameterBlock block;
  block.rank_order = RankOrder::ColumnMajor;
  block.panel_variants = {PanelVariant::Left, PanelVariant::Crout, PanelVariant::Right};
  block.broadcasts = {BroadcastVariant::Ring1, BroadcastVariant::LongM};
  block.swap = SwapVariant::Mix;
  block.transposed_u = false;
  const std::string text = parameter_text(block);
  EXPECT_TRUE(test::holds(
      text, {"\nPMAP   : Column-major process mapping\n", "\nPFACT  :    Left    Crout    Right \n",
             "\nBCAST  :   1ring   BlongM \n", "\nSWAP   : Mix (threshold = 64)\n",
             "\nL1     : transposed form\n", "\nU      : no-transposed form\n", "\nEQUIL  : yes\n",
             "\nALIGN  : 8 double precision words\n"}));
}

TEST(ParameterText, OfHplMxpLeavesOutWhatHasNoMeaning) {
  const RunSpec spec = test::mixed_run().spec;
  const std::string text = parameter_text(parameter_block({&spec, 1}));
  EXPECT_EQ(text.find("PFACT"), std::string::npos);
  EXPECT_NE(text.find("MxP    : FP16 products"), std::string::npos) << text;
}

TEST(ParameterBlock, ListsEachValueAndEachGridOnce) {
  std::vector<RunSpec> plan(4, test::fixed_spec());
  plan[1].order = 2000;
  plan[2].grid_columns = 1;
  const ParameterBlock block = parameter_block(plan);
  EXPECT_EQ(block.orders, (std::vector<std::int64_t>{1000, 2000}));
  EXPECT_EQ(block.grid_rows, (std::vector<int>{2, 2}));
  EXPECT_EQ(block.grid_columns, (std::vector<int>{3, 1}));
  EXPECT_EQ(block.depths, (std::vector<int>{1}));
}

TEST_F(TextReportTest, OfPowerSaysCorePhaseComponentsMeterAndLevel) {
  RunResult run = test::passing_run();
  run.power = test::metered_power();
  const std::string text = text_of(run);
  for (const char* line :
       {"\n# core phase: 2026-01-03T05:00:00.000+01:00 to 2026-01-03T05:00:02.500+01:00, 2.500 s\n",
        "\n# component power, NVML of 2 devices: 500.0 W on average, 1.25 kJ, ",
        "; W of the tenths: 500.0 500.0 500.0 - 500.0",
        "\n# energy by phase, kJ (phases overlap): matrix multiply 1.00\n",
        "\n# metered power, pdu.sh: 600.0 W on average, 1.50 kJ, ",
        "\n# power meter: 3 lines were no number\n",
        "\n# power level: none; missing for level 1: sampling: a core phase of a minute or more"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST_F(TextReportTest, HasNoPowerWithoutASensor) {
  RunResult run = test::passing_run();
  run.power = test::metered_power();
  run.power->components.reset();
  run.power->meter.reset();
  EXPECT_EQ(text_of(run).find("core phase"), std::string::npos);
}

}  // namespace
}  // namespace hpl
