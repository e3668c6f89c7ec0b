#include "lu/solve/divided_rows.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hpl {
namespace {

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

}  // namespace
}  // namespace hpl
