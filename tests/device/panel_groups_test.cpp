#include <limits>
#include <utility>

#include "panel_team.h"

namespace hpcx::conformance {
namespace {

/// Members in groups whose messages go through the host.
class PanelGroupsTest : public PanelTeamTest {
 protected:
  void expect_reference_in_groups(std::vector<int> groups, const Distribution& split,
                                  std::uint64_t seed, int compute_units) {
    SCOPED_TRACE(testing::Message() << groups.size() << " groups, the first of " << groups[0]);
    groups_ = std::move(groups);
    expect_reference(split, seed, compute_units);
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(PanelGroupsTest);

TEST_P(PanelGroupsTest, GiveTheFactorsOfUnblockedElimination) {
  expect_reference_in_groups({1, 1}, {5, 0, {5, 3}}, 61, 8);
  for (const int owner : {0, 1})
    expect_reference_in_groups({1, 1}, {65, owner, {700, 333}}, 62, 8);
  for (const int owner : {0, 1, 2})
    expect_reference_in_groups({1, 2}, {97, owner, {1201, 1500, 777}}, 63, 8);
  for (const int owner : {1, 3})
    expect_reference_in_groups({2, 2}, {130, owner, {900, 1801, 650, 700}}, 64, 8);
  expect_reference_in_groups({2, 1, 1}, {64, 2, {900, 1801, 650, 700}}, 65, 8);
}

// A multiprocessor each: the device must hold a block of every member at once, 132 on an H100.
TEST_P(PanelGroupsTest, FactorizeInTeamsOfManyMembers) {
  for (const int members : {66, 128}) {
    if (device_->properties().compute_units < members) GTEST_SKIP() << "too few multiprocessors";
    std::vector<int> groups(static_cast<std::size_t>(members / 8), 8);
    if (members % 8 > 0) groups.push_back(members % 8);
    Distribution split{40, members - 1, {}};
    for (int m = 0; m < members; ++m)
      split.below.push_back(50 + m % 7);
    expect_reference_in_groups(groups, split, 75, 1);
  }
}

TEST_P(PanelGroupsTest, DoNotDependOnTheNumberOfMultiprocessors) {
  for (const int compute_units : {1, 2, 5, 16, 40})
    expect_reference_in_groups({1, 1}, {70, 1, {7000, 6411}}, 66, compute_units);
}

TEST_P(PanelGroupsTest, FactorizeEveryNarrowWidth) {
  for (std::int64_t cols = 1; cols <= 34; cols += cols < 4 ? 1 : 5)
    expect_reference_in_groups({1, 1}, {cols, static_cast<int>(cols % 2), {211, 187}}, 67, 4);
}

TEST_P(PanelGroupsTest, FactorizeWhereGroupsHaveNoRowsBelow) {
  expect_reference_in_groups({1, 1}, {40, 0, {0, 0}}, 68, 4);
  expect_reference_in_groups({1, 1}, {40, 1, {600, 0}}, 69, 4);
  expect_reference_in_groups({1, 2}, {130, 2, {0, 1000, 0}}, 70, 4);
}

TEST_P(PanelGroupsTest, FactorizeWhereAllPivotsAreRowsOfTheDiagonalBlock) {
  groups_ = {1, 1};
  const Distribution split{100, 1, {1300, 2400}};
  HostMatrix whole = random_panel(split, 71);
  for (std::int64_t j = 0; j < split.cols; ++j)
    for (std::int64_t i = split.cols; i < split.rows(); ++i)
      whole(i, j) *= 1e-6;
  expect_same(split, factorize(split, whole, 4), panel_reference(whole));
}

TEST_P(PanelGroupsTest, ReportTheFirstColumnWithNoPivotOnAllMembers) {
  groups_ = {1, 1};
  const Distribution split{80, 1, {250, 300}};
  HostMatrix whole = random_panel(split, 72);
  for (std::int64_t i = 0; i < split.rows(); ++i)
    whole(i, 41) = 0;
  expect_same(split, factorize(split, whole, 4), panel_reference(whole));
  whole(split.rows() - 5, 7) = std::numeric_limits<double>::quiet_NaN();
  expect_no_pivot_in(7, factorize(split, whole, 4));
}

TEST_P(PanelGroupsTest, FactorizePanelAfterPanel) {
  groups_ = {2, 1};
  const std::vector<Distribution> splits{{97, 0, {1500, 1300, 1400}}, {97, 1, {1403, 1300, 1400}},
                                         {33, 2, {300, 290, 310}},    {1, 0, {5, 0, 1}},
                                         {7, 1, {1500, 0, 3}},        {64, 2, {0, 900, 700}}};
  load_code(splits[0], 8);
  const Team team = make_team(splits[0], 8);
  for (int round = 0; round < 3; ++round)
    for (std::size_t k = 0; k < splits.size(); ++k) {
      SCOPED_TRACE(testing::Message() << "round " << round << ", panel " << k);
      const HostMatrix whole = random_panel(splits[k], 80 + k);
      const std::vector<InFlight> parts = upload_parts(splits[k], whole);
      start(team, splits[k], parts);
      expect_same(splits[k], finish(team, splits[k], parts), panel_reference(whole));
    }
}

TEST_P(PanelGroupsTest, FactorizeTallPanelsInWindowsWithProductsBetween) {
  groups_ = {1, 2};
  const Distribution split{300, 1, {17003, 500, 16500}};
  const HostMatrix whole = random_panel(split, 73);
  expect_same(split, factorize(split, whole, 12), factorize_alone(whole));
}

TEST_P(PanelGroupsTest, FactorizePanelsOfManyWindows) {
  groups_ = {1, 1};
  const Distribution split{1024, 0, {16000, 15001}};
  const HostMatrix whole = random_panel(split, 74);
  expect_same(split, factorize(split, whole, 16), factorize_alone(whole));
}

}  // namespace
}  // namespace hpcx::conformance
