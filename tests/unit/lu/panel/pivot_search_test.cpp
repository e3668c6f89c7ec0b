#include "lu/panel/pivot_search.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/reference_lu.h"

namespace hpl {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

PivotCandidate find(const std::vector<double>& column) {
  return find_pivot(column.data(), std::ssize(column));
}

TEST(FindPivot, FindsTheLargestMagnitudeAtEveryPlaceOfEveryLength) {
  for (std::int64_t size = 1; size <= 40; ++size) {
    std::vector<double> column = test::random_dense(size, 1, static_cast<unsigned>(size)).data;
    for (std::int64_t place = 0; place < size; ++place) {
      const double kept = column[place];
      column[place] = place % 2 == 0 ? -3.5 : 3.5;
      const PivotCandidate found = find(column);
      EXPECT_EQ(found.magnitude, 3.5) << "length " << size;
      EXPECT_EQ(found.index, place) << "length " << size;
      column[place] = kept;
    }
  }
}

TEST(FindPivot, TakesTheFirstOfEquals) {
  for (std::int64_t size = 2; size <= 40; ++size)
    for (std::int64_t first = 0; first + 1 < size; ++first) {
      std::vector<double> column(size, 1.0);
      column[first] = -2.0;
      column[size - 1] = 2.0;
      EXPECT_EQ(find(column).index, first) << "length " << size;
    }
}

TEST(FindPivot, FindsNothingInNothing) {
  EXPECT_EQ(find({}).magnitude, 0.0);
  EXPECT_EQ(find({}).index, 0);
}

TEST(FindPivot, FindsNothingAmongZeros) {
  for (std::int64_t size = 1; size <= 40; ++size) {
    std::vector<double> column(size, 0.0);
    column[size / 2] = -0.0;
    EXPECT_EQ(find(column).magnitude, 0.0);
    EXPECT_EQ(find(column).index, 0);
  }
}

TEST(FindPivot, NeverTakesNan) {
  for (std::int64_t size = 1; size <= 40; ++size)
    for (std::int64_t place = 0; place < size; ++place) {
      std::vector<double> column(size, kNan);
      EXPECT_EQ(find(column).magnitude, 0.0);
      column[place] = -0.25;
      EXPECT_EQ(find(column).magnitude, 0.25) << "length " << size;
      EXPECT_EQ(find(column).index, place) << "length " << size;
    }
}

TEST(FindPivot, TakesInfinityAndSubnormals) {
  EXPECT_EQ(find({1.0, -kInfinity, kNan, 2.0}).index, 1);
  EXPECT_EQ(find({0.0, 5e-324, 0.0}).index, 1);
}

TEST(Scale, DividesByThePivot) {
  std::vector<double> column{1.0, -6.0, 0.0};
  scale(column.data(), 3, -4.0);
  EXPECT_EQ(column, (std::vector<double>{-0.25, 1.5, 0.0}));
}

TEST(Scale, DoesNotOverflowOnASubnormalPivot) {
  const double pivot = 4e-320;
  std::vector<double> column{pivot, -pivot / 2, 0.0};
  scale(column.data(), 3, pivot);
  EXPECT_EQ(column, (std::vector<double>{1.0, -0.5, 0.0}));
}

TEST(Scale, LeavesAnEmptyColumnAlone) {
  EXPECT_NO_THROW(scale(nullptr, 0, 2.0));
}

}  // namespace
}  // namespace hpl
