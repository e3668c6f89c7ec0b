#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/solve/back_substitution.h"
#include "hpl/lu/solve/solution_hash.h"
#include "lu/solve/divided_rows.h"
#include "lu/solve/line_ring.h"
#include "lu/solve/visited_blocks.h"
#include "support/cpu_device.h"

namespace hpl {
namespace {

TEST(DistributedSolution, HasOneElementForEveryColumnButTheRightHandSide) {
  const auto device = test::open_cpu(1);
  for (const std::int64_t order : {0, 1, 15, 16, 17, 100}) {
    std::int64_t elements = 0;
    for (int column = 0; column < 3; ++column) {
      const LocalShape shape =
          local_shape({.order = order, .block_size = 8, .grid_columns = 3}, {0, column});
      const DistributedSolution x(*device, shape);
      EXPECT_EQ(x.view().stride, 1);
      elements += x.view().size;
    }
    EXPECT_EQ(elements, order);
  }
}

TEST(DividedRows, EndWhereBothMeet) {
  DividedRows rows(10);
  EXPECT_EQ(rows.take_from_top(4).begin, 0);
  const DividedRows::Part last = rows.take_from_bottom(4);
  EXPECT_EQ(last.begin, 6);
  EXPECT_EQ(last.count, 4);
  const DividedRows::Part rest = rows.take_from_top(4);
  EXPECT_EQ(rest.begin, 4);
  EXPECT_EQ(rest.count, 2);
  EXPECT_EQ(rows.take_from_top(4).count, 0);
  EXPECT_EQ(rows.take_from_bottom(4).count, 0);
}

TEST(DividedRows, KeepToAFixedBorder) {
  DividedRows rows(10, 3);
  EXPECT_EQ(rows.take_from_bottom(5).begin, 5);
  const DividedRows::Part last = rows.take_from_bottom(5);
  EXPECT_EQ(last.begin, 3);
  EXPECT_EQ(last.count, 2);
  EXPECT_EQ(rows.take_from_bottom(5).count, 0);
  EXPECT_EQ(rows.take_from_top(5).count, 3);
  EXPECT_EQ(rows.take_from_top(5).count, 0);
}

TEST(DividedRows, GoToOneTakerEach) {
  std::vector<std::atomic<int>> taken(1000);
  DividedRows rows(1000);
  const auto note = [&](const DividedRows::Part& part) {
    for (std::int64_t i = 0; i < part.count; ++i)
      ++taken[static_cast<std::size_t>(part.begin + i)];
    return part.count > 0;
  };
  {
    const std::jthread top([&] {
      while (note(rows.take_from_top(7)))
        ;
    });
    const std::jthread bottom([&] {
      while (note(rows.take_from_bottom(3)))
        ;
    });
  }
  for (const std::atomic<int>& times : taken)
    EXPECT_EQ(times, 1);
}

TEST(LineRing, GivesOutLinesOneBehindTheOtherUntilNoneIsFree) {
  LineRing ring(10);
  EXPECT_EQ(ring.take(4)->begin, 0);
  EXPECT_EQ(ring.take(4)->begin, 4);
  EXPECT_FALSE(ring.take(4));
  EXPECT_EQ(ring.take(2)->begin, 8);
  EXPECT_FALSE(ring.take(1));
}

TEST(LineRing, BeginsAnewWhereTheEndIsTooShort) {
  LineRing ring(10);
  ASSERT_TRUE(ring.take(4));
  ASSERT_TRUE(ring.take(4));
  ring.give_back({});
  const auto next = ring.take(3);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->begin, 0);
  EXPECT_FALSE(ring.take(2));
  EXPECT_EQ(ring.take(1)->begin, 3);
  EXPECT_FALSE(ring.take(1));
  ring.give_back({});
  EXPECT_EQ(ring.take(4)->begin, 4);
}

TEST(LineRing, NamesThoseWhoHadTheLinesBefore) {
  LineRing ring(8);
  EXPECT_TRUE(ring.take(4)->after.empty());
  EXPECT_TRUE(ring.take(4)->after.empty());
  ring.give_back({});
  ring.give_back({});
  EXPECT_EQ(ring.take(6)->after.size(), 2u);
  ring.give_back({});
  EXPECT_EQ(ring.take(2)->after.size(), 1u);
}

TEST(LineRing, RefusesWhatIsLargerThanItself) {
  LineRing ring(8);
  EXPECT_FALSE(ring.take(9));
  EXPECT_TRUE(ring.take(8));
}

TEST(ElementHash, TellsBitsAndPlacesApart) {
  std::set<std::uint64_t> hashes;
  for (const std::int64_t index : {0, 1, 2, 1 << 30})
    for (const double value : {0.0, -0.0, 1.0, std::nextafter(1.0, 2.0), -1.0, 1e-300})
      hashes.insert(element_hash(index, value));
  EXPECT_EQ(hashes.size(), 4U * 6U);
}

TEST(ElementHash, OfASumDoesNotHideTwoElementsThatChangedPlaces) {
  EXPECT_NE(element_hash(3, 0.5) + element_hash(4, 0.25),
            element_hash(3, 0.25) + element_hash(4, 0.5));
}

/// Hashes are compared between versions and machines, and others may compute them:
/// docs/judging.md.
TEST(ElementHash, IsWhatItAlwaysWas) {
  EXPECT_EQ(element_hash(0, 0.0), 0x7ab40e090f363a7dU);
  EXPECT_EQ(element_hash(7, -0.125), 0x6e318d54495a47dfU);
}

using namespace std::chrono_literals;
using Kind = VisitedBlocks::Kind;

/// All block columns live in host memory; each number of U is the step of its column, plus 1.
class VisitedBlocksTest : public testing::Test {
 protected:
  static constexpr std::int64_t kBlock = 8, kSteps = 12;

  explicit VisitedBlocksTest(int slots = 5)
      : matrix_(*device_, spec_, {0, 0}, {kBlock * kSteps, kBlock, slots}) {
    for (std::int64_t step = 0; step < kSteps; ++step)
      device_->kernels().fill(stream_, static_cast<double>(step + 1),
                              matrix_.visited({{step * kBlock}, kBlock}));
    device_->kernels().fill(stream_, 0.0, matrix_.slot_memory());
    stream_.ref().synchronize();
    for (std::int64_t i = 0; i < solution_.visited_view().size; ++i)
      solution_.visited_view()[i] = 1;
  }

  VisitedBlocks blocks(std::optional<double> link_share = {}) const {
    return {{.device = load_, .load = load_, .host = host_}, matrix_, solution_, link_share};
  }
  /// Copies go on meanwhile as far as they may.
  void wait_a_while(VisitedBlocks& blocks) {
    stream_.ref().host_task([] { std::this_thread::sleep_for(20ms); });
    blocks.wait(stream_.ref().record());
    load_.ref().synchronize();
  }
  /// Uses all pieces of an item; returns its rows, in the order in which they came.
  std::vector<std::int64_t> rows_of(VisitedBlocks& blocks, std::int64_t step, Kind kind) {
    std::vector<std::int64_t> rows;
    while (const auto piece = blocks.next(stream_, step, kind)) {
      stream_.ref().synchronize();
      for (std::int64_t i = piece->rows.count; i-- > 0;) {
        EXPECT_EQ(piece->block(i, 0), static_cast<double>(step + 1));
        rows.push_back(piece->rows.begin.value + i);
      }
      blocks.give_back(stream_);
    }
    return rows;
  }
  std::int64_t rows_on_device(std::int64_t step) const {
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < matrix_.slot_memory().rows; ++i)
      rows += matrix_.slot_memory()(i, 0) == static_cast<double>(step + 1) ? 1 : 0;
    return rows;
  }

  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(3);
  RunSpec spec_{.order = kBlock * kSteps, .block_size = kBlock};
  DistributedMatrix matrix_;
  DistributedSolution solution_{*device_, matrix_.shape(), matrix_.visited_columns()};
  hpcx::Stream stream_ = device_->create_stream(hpcx::Priority::Normal);
  hpcx::Stream load_ = device_->create_stream(hpcx::Priority::Normal);
  hpcx::Stream host_ = device_->create_stream(hpcx::Priority::Normal);
};

TEST_F(VisitedBlocksTest, HostAndDeviceTakeEachRowOnce) {
  for (const std::optional<double> share : {std::optional<double>(), {0.0}, {0.3}, {1.0}}) {
    VisitedBlocks u = blocks(share);
    std::vector<double> sums(kBlock * kSteps, 0), expected = sums;
    const auto add = [&](std::int64_t step, Kind kind) {
      for (const std::int64_t row : rows_of(u, step, kind))
        sums[static_cast<std::size_t>(row)] -= static_cast<double>((step + 1) * kBlock);
    };
    for (std::int64_t step = kSteps - 1; step >= 0; --step) {
      EXPECT_EQ(rows_of(u, step, Kind::Diagonal).size(), static_cast<std::size_t>(kBlock));
      u.begin_host_part(step);
      add(step, Kind::Near);
      if (step + 1 < kSteps) add(step + 1, Kind::Far);
      for (std::int64_t i = 0; i < step * kBlock; ++i)
        expected[static_cast<std::size_t>(i)] -= static_cast<double>((step + 1) * kBlock);
    }
    add(0, Kind::Far);
    u.finish_host_part(0);
    for (std::size_t i = 0; i < sums.size(); ++i)
      EXPECT_EQ(sums[i] + solution_.visited_right_side()[static_cast<std::int64_t>(i)], expected[i])
          << i;
  }
}

/// Else the host has nothing to do from the time on when the link is a column ahead of x.
TEST_F(VisitedBlocksTest, LeavesHalfOfAColumnToTheHostUntilItsXIsKnown) {
  VisitedBlocks u = blocks();
  const std::int64_t last = kSteps - 1;
  rows_of(u, last, Kind::Diagonal);
  u.begin_host_part(last);
  wait_a_while(u);
  rows_of(u, last, Kind::Near);
  // A piece is 16 rows.
  const std::int64_t far = (kSteps - 3) * kBlock, two_blocks = 2 * kBlock;
  EXPECT_LE(rows_on_device(last - 1), two_blocks + far / 2 + 16);
  EXPECT_LE(rows_on_device(last - 2), two_blocks);
  rows_of(u, last - 1, Kind::Diagonal);
  rows_of(u, last - 1, Kind::Near);
  rows_of(u, last, Kind::Far);
}

/// With memory for less than half of U.
class VisitedBlocksOfFewSlots : public VisitedBlocksTest {
 protected:
  VisitedBlocksOfFewSlots() : VisitedBlocksTest(1) {}
};

TEST_F(VisitedBlocksOfFewSlots, AreLoadedAheadFromTheLastColumnOnAsFarAsThereIsMemory) {
  VisitedBlocks u = blocks();
  u.load_ahead(0);
  load_.ref().synchronize();
  EXPECT_EQ(rows_on_device(kSteps - 1), 0) << "no time was left for it";
  u.load_ahead(1e9);
  load_.ref().synchronize();
  std::int64_t lines_in_use = 0;
  for (std::int64_t step = 0; step < kSteps; ++step)
    lines_in_use += rows_on_device(step);
  EXPECT_GE(lines_in_use, matrix_.slot_memory().rows * 3 / 4);
  EXPECT_EQ(rows_on_device(kSteps - 1), kSteps * kBlock);
  EXPECT_EQ(rows_on_device(0), 0);

  for (std::int64_t step = kSteps - 1; step >= 0; --step) {
    EXPECT_EQ(rows_of(u, step, Kind::Diagonal).size(), static_cast<std::size_t>(kBlock));
    u.begin_host_part(step);
    rows_of(u, step, Kind::Near);
    const std::size_t far = rows_of(u, step, Kind::Far).size();
    if (step == kSteps - 1) {
      EXPECT_EQ(far, static_cast<std::size_t>((kSteps - 2) * kBlock)) << "the host took some";
    }
  }
  u.finish_host_part(0);
}

}  // namespace
}  // namespace hpl
