#include "hpl/lu/panel/pivot_proxy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace hpl {
namespace {

using hpcx::PanelProxy;

/// One exchange without a device. In a column each group has a candidate, and the largest wins, of
/// equal ones that of the first group. In an exchange of rows `holders` send to all other groups.
class ToyProxy final : public PanelProxy {
 public:
  struct Team {
    int members, me, of_group;
    std::vector<int> holders{};
  };
  /// A group's candidate is a value and the complement of its number, so that pairs compare.
  using Candidate = std::array<std::uint8_t, 2>;
  static Candidate candidate(int group) {
    return {static_cast<std::uint8_t>(group * 3 % 7), static_cast<std::uint8_t>(~group)};
  }

  ToyProxy(Team team, Exchange exchange)
      : team_(std::move(team)),
        left_(exchange),
        mine_(candidate(group_of(team_.me))),
        theirs_(static_cast<std::size_t>(team_.members)) {}

  std::optional<Exchange> next() override { return std::exchange(left_, std::nullopt); }
  int members() const override { return team_.members; }
  int group_of(int member) const override { return member / team_.of_group; }
  bool leads(int member) const override { return member % team_.of_group == 0; }
  int me() const override { return team_.me; }
  bool rows_known() override { return true; }
  bool moves_rows(int from, int to) const override {
    return std::ranges::count(team_.holders, from) > 0 && group_of(from) != group_of(to) &&
           leads(to);
  }
  bool ready() override {
    leaving_ = mine_;
    return true;
  }
  std::span<const std::byte> message() const override { return std::as_bytes(std::span(leaving_)); }
  std::span<std::byte> message_from(int member) override {
    return std::as_writable_bytes(std::span(theirs_[static_cast<std::size_t>(member)]));
  }
  void arrived(int member) override {
    mine_ = std::max(mine_, theirs_[static_cast<std::size_t>(member)]);
  }
  void finish() override { finished_ = true; }

  bool finished() const { return finished_; }
  Candidate best() const { return mine_; }
  bool has_rows_of(int member) const {
    return theirs_[static_cast<std::size_t>(member)] == candidate(group_of(member));
  }

 private:
  Team team_;
  std::optional<Exchange> left_;
  Candidate mine_, leaving_{};
  std::vector<Candidate> theirs_;
  bool finished_ = false;
};

/// Process columns of tiles with 4, with 2 and with 1 process row; the last tile may have fewer.
class PivotProxyOfTiles : public testing::TestWithParam<int> {
 protected:
  int tiles(int ranks) const { return (ranks + GetParam() - 1) / GetParam(); }
  /// Carries an exchange of the first ranks. The result is the messages of all of them.
  static std::int64_t messages(const mpi::Communicator& column, ToyProxy& proxy) {
    const std::int64_t before = column.received_bytes();
    PivotProxy(column, mpi::WaitPolicy::sleeping()).carry(proxy);
    return column.all_reduce(column.received_bytes() - before, mpi::Reduce::Sum) /
           static_cast<std::int64_t>(sizeof(ToyProxy::Candidate));
  }

  const mpi::Communicator world_ = mpi::Communicator::world();
};

// Formulas: "Messages of a run" in the notebook's scale.md. With 64 ranks the tiles are 16, 32 and
// 64.
TEST_P(PivotProxyOfTiles, AgreeByMessagesBetweenTheirFirstProcesses) {
  ToyProxy proxy({world_.size(), world_.rank(), GetParam()}, PanelProxy::Exchange::Pivot);
  const int groups = tiles(world_.size());
  EXPECT_EQ(messages(world_, proxy), hpcx::pivot_rounds(groups).messages(groups));
  EXPECT_EQ(proxy.finished(), proxy.leads(world_.rank()));
}

TEST_P(PivotProxyOfTiles, AgreeOnTheFirstOfTheLargestCandidates) {
  for (const int ranks : {2, 3, 5, 8, 13, 27, 64}) {
    if (ranks > world_.size()) continue;
    const mpi::Communicator column = world_.split(world_.rank() < ranks ? 0 : 1, world_.rank());
    if (world_.rank() >= ranks) continue;
    ToyProxy proxy({ranks, column.rank(), GetParam()}, PanelProxy::Exchange::Pivot);
    messages(column, proxy);
    ToyProxy::Candidate best{};
    for (int group = 0; group < tiles(ranks); ++group)
      best = std::max(best, ToyProxy::candidate(group));
    if (proxy.leads(column.rank())) {
      EXPECT_EQ(proxy.best(), best) << ranks << " ranks";
    }
  }
}

TEST_P(PivotProxyOfTiles, SendRowsOfTheirHoldersToOneProcessOfEachOtherTile) {
  const std::vector<int> holders{0, world_.size() - 1};
  ToyProxy proxy({world_.size(), world_.rank(), GetParam(), holders}, PanelProxy::Exchange::Rows);
  const std::int64_t distinct = world_.size() > 1 ? 2 : 1;
  EXPECT_EQ(messages(world_, proxy), distinct * (tiles(world_.size()) - 1));
  EXPECT_TRUE(proxy.finished());
  for (const int holder : holders)
    if (proxy.moves_rows(holder, world_.rank())) {
      EXPECT_TRUE(proxy.has_rows_of(holder));
    }
}

INSTANTIATE_TEST_SUITE_P(Tiles, PivotProxyOfTiles, testing::Values(1, 2, 4));

}  // namespace
}  // namespace hpl
