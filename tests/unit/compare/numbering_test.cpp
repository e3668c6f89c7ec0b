#include "compare/roster.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

using Numbers = std::vector<std::size_t>;

TEST(Numbering, KnowsAThingByItsFirstKeyAndOtherwiseByTheNext) {
  Numbering numbers;
  EXPECT_EQ(numbers.add({{"S1", "a"}, {"", "b"}}), (Numbers{0, 1}));
  EXPECT_EQ(numbers.add({{"", "b"}, {"S1", "c"}}), (Numbers{1, 0}));
}

TEST(Numbering, GivesNoNumberTwice) {
  Numbering numbers;
  numbers.add({{"S1", "a"}, {"S2", "b"}});
  // S1 moved to the place of S2, and another thing took its old place.
  EXPECT_EQ(numbers.add({{"S1", "b"}, {"S3", "a"}}), (Numbers{0, 2}));
}

TEST(Numbering, RemembersEveryKeyOfEarlierSides) {
  Numbering numbers;
  numbers.add({{"S1", "a"}});
  numbers.add({{"S2", "a"}});
  EXPECT_EQ(numbers.add({{"S1", "x"}}), (Numbers{0}));
}

}  // namespace
}  // namespace hpl
