#include "hpl/lu/panel/pivot_proxy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace hpl {
namespace {

using hpcx::PanelProxy;

/// The messages of one column, without a device: each member sends its own number.
class ToyProxy final : public PanelProxy {
 public:
  struct Team {
    int members, me, of_group;
  };

  ToyProxy(const Team& team, std::vector<Exchange> exchanges)
      : team_(team),
        left_(std::move(exchanges)),
        mine_{static_cast<std::byte>(team.me)},
        theirs_(static_cast<std::size_t>(team.members)) {}

  std::optional<Exchange> next() override {
    if (left_.empty()) return std::nullopt;
    const Exchange first = left_.front();
    left_.erase(left_.begin());
    return first;
  }
  int members() const override { return team_.members; }
  int group_of(int member) const override { return member / team_.of_group; }
  bool leads(int member) const override { return member % team_.of_group == 0; }
  int me() const override { return team_.me; }
  bool ready() override { return true; }
  std::span<const std::byte> message() const override { return mine_; }
  std::span<std::byte> message_from(int member) override {
    return {&theirs_[static_cast<std::size_t>(member)], 1};
  }
  void arrived(int member) override {
    arrived_.push_back(member);
    EXPECT_EQ(theirs_[static_cast<std::size_t>(member)], static_cast<std::byte>(member));
  }

  /// Members whose messages have arrived, in ascending order.
  std::vector<int> arrived() const {
    std::vector<int> sorted = arrived_;
    std::ranges::sort(sorted);
    return sorted;
  }

 private:
  Team team_;
  std::vector<Exchange> left_;
  std::array<std::byte, 1> mine_;
  std::vector<std::byte> theirs_;
  std::vector<int> arrived_;
};

/// Process columns of tiles with 4, with 2 and with 1 process row; the last tile may have fewer.
class PivotProxyOfTiles : public testing::TestWithParam<int> {
 protected:
  /// Messages of all ranks in one exchange. Checks the senders of those that arrive here.
  std::int64_t messages(PanelProxy::Exchange kind) {
    ToyProxy proxy({column_.size(), column_.rank(), GetParam()}, {kind});
    const std::int64_t before = column_.received_bytes();
    PivotProxy(column_, mpi::WaitPolicy::sleeping()).carry(proxy);
    std::vector<int> expected;
    for (int member = 0; member < column_.size(); ++member)
      if (proxy.group_of(member) != proxy.group_of(column_.rank()) &&
          (kind == PanelProxy::Exchange::Rows || proxy.leads(member)))
        expected.push_back(member);
    EXPECT_EQ(proxy.arrived(), expected);
    // A message is one byte.
    return column_.all_reduce(column_.received_bytes() - before, mpi::Reduce::Sum);
  }

  const mpi::Communicator column_ = mpi::Communicator::world();
  std::int64_t ranks_ = column_.size();
};

// docs/model.md, Messages.
TEST_P(PivotProxyOfTiles, SendsOneMessageFromEachTileToEachProcessOfTheOthers) {
  const std::int64_t tiles = (ranks_ + GetParam() - 1) / GetParam();
  EXPECT_EQ(messages(PanelProxy::Exchange::Pivot), ranks_ * (tiles - 1));
}

TEST_P(PivotProxyOfTiles, SendsRowsFromEachProcessToEachOfOtherTiles) {
  std::int64_t in_tiles = 0;
  for (std::int64_t first = 0; first < ranks_; first += GetParam()) {
    const std::int64_t rows = std::min<std::int64_t>(GetParam(), ranks_ - first);
    in_tiles += rows * rows;
  }
  EXPECT_EQ(messages(PanelProxy::Exchange::Rows), ranks_ * ranks_ - in_tiles);
}

INSTANTIATE_TEST_SUITE_P(Tiles, PivotProxyOfTiles, testing::Values(1, 2, 4));

}  // namespace
}  // namespace hpl
