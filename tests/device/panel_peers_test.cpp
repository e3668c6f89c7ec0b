#include <algorithm>
#include <limits>
#include <utility>

#include "hpcx/error.h"
#include "panel_team.h"

namespace hpcx::conformance {
namespace {

HPCX_INSTANTIATE_FOR_ALL_DEVICES(PanelTeamTest);

TEST(PanelRow, IsToldFromItsIdWhoeverOwnsTheDiagonalBlock) {
  constexpr PanelPart kShare{.owner = 2, .most_rows = 1000};
  static_assert(panel_row(63, 64, kShare) == PanelRow{2, 63});
  static_assert(panel_row(64, 64, kShare) == PanelRow{0, 64});
  static_assert(panel_row(2999, 64, kShare) == PanelRow{2, 999});
  for (int member = 0; member < 4; ++member) {
    for (std::int64_t row = 64; row < 1000; ++row) {
      const PanelRow expected{member, row};
      ASSERT_EQ(panel_row(panel_row_id(expected, 64, kShare), 64, kShare), expected);
    }
  }
}

TEST_P(PanelTeamTest, GivesTheFactorsOfUnblockedElimination) {
  expect_reference({1, 0, {5, 3}}, 21, 8);
  expect_reference({33, 1, {40, 31}}, 22, 8);
  expect_reference({65, 2, {700, 1, 333}}, 23, 8);
  expect_reference({97, 3, {1201, 1500, 777, 1300}}, 24, 8);
  expect_reference({256, 1, {900, 1801, 650}}, 25, 8);
  expect_reference({300, 0, {2500, 2400}}, 26, 8);
}

TEST_P(PanelTeamTest, FactorizesEveryNarrowWidth) {
  for (std::int64_t cols = 1; cols <= 34; cols += cols < 4 ? 1 : 5)
    expect_reference({cols, static_cast<int>(cols % 2), {211, 187}}, 27, 4);
}

TEST_P(PanelTeamTest, DoesNotDependOnTheNumberOfMultiprocessors) {
  // Few multiprocessors own many rows each, and so take fewer columns at once.
  for (const int compute_units : {1, 2, 5, 16, 40})
    expect_reference({70, 1, {7000, 6411}}, 28, compute_units);
}

TEST_P(PanelTeamTest, FactorizesWhereMembersHaveNoRowsBelow) {
  expect_reference({40, 0, {0, 0, 0}}, 29, 4);
  expect_reference({40, 1, {600, 0, 0}}, 30, 4);
  expect_reference({130, 2, {0, 1000, 0, 1}}, 31, 4);
}

TEST_P(PanelTeamTest, FactorizesWhereOneMemberHoldsAllPivots) {
  for (const int member : {0, 1, 2}) {
    const Distribution split{70, 1, {300, 400, 350}};
    HostMatrix whole = random_panel(split, 32);
    for (std::int64_t j = 0; j < split.cols; ++j)
      for (std::int64_t i = 0; i < split.below_of(member); ++i)
        whole(split.first_below(member) + i, j) *= 100;
    const Factors expected = panel_reference(whole);
    expect_same(split, factorize(split, whole, 4), expected);
    EXPECT_EQ(panel_row(split.id_of(expected.pivots[3]), split.cols, split.share()).member, member);
  }
}

TEST_P(PanelTeamTest, FactorizesWhereAllPivotsAreRowsOfTheDiagonalBlock) {
  // The owner awaits no row of another member then, and may run ahead of it by a whole column.
  const Distribution split{100, 1, {1300, 2400}};
  HostMatrix whole = random_panel(split, 33);
  for (std::int64_t j = 0; j < split.cols; ++j)
    for (std::int64_t i = split.cols; i < split.rows(); ++i)
      whole(i, j) *= 1e-6;
  const Factors expected = panel_reference(whole);
  ASSERT_LT(*std::max_element(expected.pivots.begin(), expected.pivots.end()), split.cols);
  for (const int compute_units : {1, 2, 4, 16})
    expect_same(split, factorize(split, whole, compute_units), expected);
}

TEST_P(PanelTeamTest, TakesTheFirstOfEqualCandidates) {
  const Distribution split{2, 2, {900, 800, 700}};
  HostMatrix whole = random_panel(split, 34);
  for (const std::int64_t first : {std::int64_t{1}, std::int64_t{17}, split.first_below(1) + 3}) {
    for (std::int64_t i = 0; i < split.rows(); ++i)
      whole(i, 0) = i < first ? 0.25 : i % 2 == 0 ? 1.0 : -1.0;
    for (const Factors& factors : factorize(split, whole, 3))
      EXPECT_EQ(factors.pivots[0], split.id_of(first));
  }
}

TEST_P(PanelTeamTest, ReportsTheFirstColumnWithNoPivotOnAllMembers) {
  const Distribution split{80, 1, {250, 300}};
  HostMatrix whole = random_panel(split, 35);
  for (const std::int64_t column : {70, 41}) {
    for (std::int64_t i = 0; i < split.rows(); ++i)
      whole(i, column) = 0;
    expect_same(split, factorize(split, whole, 4), panel_reference(whole));
  }
  whole(split.rows() - 5, 7) = std::numeric_limits<double>::quiet_NaN();
  expect_no_pivot_in(7, factorize(split, whole, 4));
}

TEST_P(PanelTeamTest, DividesByPivotsWhoseReciprocalOverflows) {
  const Distribution split{1, 0, {200, 300}};
  HostMatrix whole = random_panel(split, 36);
  for (std::int64_t i = 0; i < split.rows(); ++i)
    whole(i, 0) = 0x1p-1070 * static_cast<double>(i == 400 ? 8 : i % 5);
  HostMatrix expected = whole;
  std::swap(expected(0, 0), expected(400, 0));
  for (std::int64_t i = 1; i < split.rows(); ++i)
    expected(i, 0) = static_cast<double>(i == 400 ? 0 : i % 5) / 8;
  expect_same(split, factorize(split, whole, 2), {expected, {400}, -1});
}

TEST_P(PanelTeamTest, FactorizesPanelAfterPanelWithoutAWaitBetween) {
  // Odd widths end on either parity; fewer rows take fewer blocks.
  const std::vector<Distribution> splits{{97, 0, {1500, 1300, 1400}}, {97, 1, {1403, 1300, 1400}},
                                         {33, 2, {300, 290, 310}},    {1, 0, {5, 0, 1}},
                                         {7, 1, {1500, 0, 3}},        {64, 2, {0, 900, 700}},
                                         {97, 0, {20, 0, 31}},        {3, 2, {1000, 1000, 1000}}};
  load_code(splits[0], 8);
  const Team team = make_team(splits[0], 8);
  for (int round = 0; round < 3; ++round) {
    std::vector<HostMatrix> wholes;
    std::vector<std::vector<InFlight>> parts;
    for (std::size_t k = 0; k < splits.size(); ++k) {
      wholes.push_back(random_panel(splits[k], 40 + k));
      parts.push_back(upload_parts(splits[k], wholes[k]));
    }
    for (std::size_t k = 0; k < splits.size(); ++k)
      start(team, splits[k], parts[k]);
    for (std::size_t k = 0; k < splits.size(); ++k) {
      SCOPED_TRACE(testing::Message() << "round " << round << ", panel " << k);
      expect_same(splits[k], finish(team, splits[k], parts[k]), panel_reference(wholes[k]));
    }
  }
}

TEST_P(PanelTeamTest, FactorizesTallPanelsInWindowsWithProductsBetween) {
  // The second member alone would not be tall enough for windows.
  const Distribution split{300, 1, {17003, 500, 16500}};
  const HostMatrix whole = random_panel(split, 37);
  expect_same(split, factorize(split, whole, 12), factorize_alone(whole));
}

TEST_P(PanelTeamTest, FactorizesPanelsOfManyWindows) {
  const Distribution split{1024, 0, {16000, 15001}};
  const HostMatrix whole = random_panel(split, 38);
  expect_same(split, factorize(split, whole, 16), factorize_alone(whole));
}

TEST_P(PanelTeamTest, FactorizesWidePanelsOfFewRows) {
  const Distribution split{1024, 1, {700, 613}};
  const HostMatrix whole = random_panel(split, 39);
  expect_same(split, factorize(split, whole, 8), factorize_alone(whole));
}

TEST_P(PanelTeamTest, RefusesMoreThanItsMultiprocessorsHold) {
  const Distribution split{4, 0, {9000, 10}};
  const Team team = make_team(split, 1);
  const HostMatrix whole = random_panel(split, 50);
  const std::vector<InFlight> parts = upload_parts(split, whole);
  EXPECT_THROW(start(team, split, parts), Error);
  const int units = device_->properties().compute_units;
  EXPECT_THROW(make_team(split, units + 1), Error);
}

}  // namespace
}  // namespace hpcx::conformance
