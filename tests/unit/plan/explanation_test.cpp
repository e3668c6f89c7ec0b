#include "hpl/plan/explanation.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/text/text_value.h"
#include "support/holds.h"
#include "unit/machine/decide/facts.h"

namespace hpl {
namespace {

void expect_eighty_columns(const std::string& text) {
  for (const std::string_view line : split_lines(text))
    EXPECT_LE(line.size(), 80U) << line;
}

TEST(ChoicesText, KeepsLabelValueAndReasonApartInEightyColumns) {
  const std::vector<Decision> choices{
      {"N", "500", "-N asks for it"},
      {"distribution", "all blocks in one process", "there is one process"},
      {"chunks", "4096 columns",
       "wide enough for products at full rate, narrow enough that exchange and update of "
       "different chunks overlap"}};
  const std::string text = choices_text(choices, 1);
  EXPECT_EQ(text,
            "One run. Why these settings:\n"
            "  N             500           -N asks for it\n"
            "  distribution  all blocks in one process  there is one process\n"
            "  chunks        4096 columns  wide enough for products at full rate, narrow\n"
            "                              enough that exchange and update of different\n"
            "                              chunks overlap\n");
  expect_eighty_columns(text);
}

TEST(DescribePlan, TellsMemoryOnceAndTheTimeOfAShortRun) {
  const Facts facts = test::with_memory(test::cpu_facts(), 24'890'000'000, 24'890'000'000);
  const RunSpec spec{.order = 2000, .block_size = 64};
  const std::string text = describe_plan({spec}, {decide(spec, facts, {})}, facts.memory.device,
                                         {.attainable_gflops = 30});
  EXPECT_TRUE(
      test::holds(text, {"\nMemory of a rank: ", " of 24.89 GB (",
                         "\nAbout 0.2 s at 85 % of the attainable rate of 30.0 GFLOP/s\n"}));
  EXPECT_EQ(text.find("24.89"), text.rfind("24.89"));
  EXPECT_EQ(text.find(" matrix "), text.rfind(" matrix "));
  expect_eighty_columns(text);
}

TEST(DescribePlan, HasNoLineThatScriptsTakeForAResult) {
  const Facts facts = test::cpu_facts();
  RunSpec by_rows{.order = 2000, .block_size = 64, .depth = 4};
  RunSpec by_columns = by_rows;
  by_columns.rank_order = RankOrder::ColumnMajor;
  const RunSettings settings = decide(by_rows, facts, {});
  const std::string text =
      describe_plan({by_rows, by_columns}, {settings, settings}, facts.memory.device, {});
  EXPECT_TRUE(test::holds(text, {"\nR4", "\nC4"}));
  for (const char* const word : {"WR", "WC"})
    EXPECT_EQ(text.find(word), std::string::npos);
}

}  // namespace
}  // namespace hpl
