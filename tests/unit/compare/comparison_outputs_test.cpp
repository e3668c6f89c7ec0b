#include <algorithm>

#include <gtest/gtest.h>

#include "hpl/compare/compare.h"
#include "sample_sides.h"

namespace hpl {
namespace {

using test::sample_fleet;
using test::set_rates;

/// Two hosts, of which the second is slower and has another kernel in June.
Comparison sample() {
  FleetReport may = sample_fleet(3, 1);
  for (FleetMember& member : may.members)
    set_rates(member, may.spec, {99.9, 100, 100.1});
  FleetReport june = may;
  set_rates(june.members[1], may.spec, {89.9, 90, 90.1});
  june.hosts[1].facts[1].second = "6.1.5";
  june.members.pop_back();
  june.hosts.pop_back();
  Comparison comparison = test::compared(may, june, -5);
  comparison.program = {"xhpl-report", "1.2.3"};
  return comparison;
}

void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n\nin\n" << text;
}

TEST(ComparisonText, SaysWhatChangedAndThenTheRates) {
  const std::string text = comparison_text(sample(), Figure::Gflops, {});
  expect_lines(text, {"A  may.json   2023-11-14 23:13  3 members on 3 hosts, version 1.2.3",
                      "Changed software\n  kernel: 6.1.0 -> 6.1.5  (node02)",
                      "Each device: N = 20000, NB = 256, 1 x 1 each, threshold 16", "node02 cuda 0",
                      "-10.00", "worse", "Only in A: node03 cuda 0",
                      "Rates of 2 members: 1 worse, 0 better, 1 within the noise",
                      "--fail-below -5 %: missed by node02 cuda 0"});
  EXPECT_LT(text.find("kernel"), text.find("worse"));
}

TEST(ComparisonText, OfQuietIsTheVerdictAlone) {
  const std::string text = comparison_text(sample(), Figure::Gflops, {.detail = Detail::Verdict});
  EXPECT_EQ(text,
            "\nRates of 2 members: 1 worse, 0 better, 1 within the noise\n"
            "node03 cuda 0: lost in B: FAILED\n--fail-below -5 %: missed by node02 cuda 0\n");
}

TEST(ComparisonText, OfALimitThatIsNotDecidedIsARemark) {
  Comparison comparison = sample();
  comparison.slow.clear();
  comparison.undecided = "not decided for 3 of 3 members";
  const auto text = [&] {
    return comparison_text(comparison, Figure::Gflops, {.detail = Detail::Verdict});
  };
  EXPECT_TRUE(text().ends_with("\n# remark: --fail-below -5 %: not decided for 3 of 3 members\n"));
  comparison.strict = true;
  EXPECT_TRUE(text().ends_with("\n--fail-below -5 %: not decided for 3 of 3 members\n"));
}

TEST(ComparisonText, NamesRunsThatAreNotCompared) {
  const FleetReport may = sample_fleet(1, 1);
  FleetReport june = may;
  test::change_spec(june, [](RunSpec& spec) { spec.emulated_moduli = 14; });
  const std::string text = comparison_text(test::compared(may, june), Figure::Gflops, {});
  expect_lines(text,
               {"Not compared: other runs\n  A  device: N = 20000", "No rate is comparable."});
  EXPECT_NE(
      text.find("arithmetic FP64 emulated by 14 INT8 products, Ozaki II, not arithmetic FP64"),
      std::string::npos)
      << text;
}

TEST(ComparisonText, OfAHistoryHasAColumnForEachTime) {
  FleetReport fleet = sample_fleet(2, 1);
  std::vector<Snapshot> sides;
  for (int month = 0; month < 3; ++month) {
    set_rates(fleet.members[0], fleet.spec, {100.0 - month, 100.0 - month, 100.0 - month});
    sides.push_back(test::side_of(fleet, "month", month * test::kMonth));
  }
  const std::string text = comparison_text(compare_sides(std::move(sides), {}), Figure::Gflops, {});
  expect_lines(text, {"rate, GFLOP/s", "node01 cuda 0", "-2.00 %"});
  const std::size_t line = text.find("node01 cuda 0");
  const std::string row = text.substr(line, text.find('\n', line) - line);
  EXPECT_LT(row.find("100"), row.find("99"));
  EXPECT_LT(row.find("99"), row.find("98"));
}

TEST(ComparisonTable, HasARowForEachMemberAndSide) {
  const std::string csv = comparison_csv(sample());
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 2 + 2 + 1);
  expect_lines(csv, {"side,started,each,variant", "gflops,gflops_change,gflops_noise",
                     "june.json,2023-12-14T22:13:20Z,device,", "node02 cuda 0"});
  const std::string head = csv.substr(0, csv.find('\n'));
  for (std::size_t at = 0; at < csv.size(); at = csv.find('\n', at) + 1) {
    const std::string row = csv.substr(at, csv.find('\n', at) - at);
    EXPECT_EQ(std::ranges::count(row, ','), std::ranges::count(head, ',')) << row;
  }
}

TEST(ComparisonDocument, IsReadAsItWasWritten) {
  const Record::Json written = to_json_value(sample());
  const auto read = from_json_value<Comparison>(JsonCursor(written, "comparison.json"));
  EXPECT_EQ(to_json_value(read), written);
  EXPECT_EQ(read.exit_code, ExitCode::Failed);
}

}  // namespace
}  // namespace hpl
