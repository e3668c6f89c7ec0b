#include "hpl/base/text/table.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

Table sample() {
  Table table{.columns = columns_of("name|>GB/s|")};
  table.add({"a", "9", "ok"});
  table.add({"longer\nname", "10.5", ""}, true);
  return table;
}

TEST(Table, HasColumnsAsWideAsTheirLongestCell) {
  EXPECT_EQ(text_of(sample()),
            "name         GB/s\n"
            "a               9  ok\n"
            "longer name  10.5\n");
}

TEST(Table, WithoutNamesHasNoHead) {
  Table table{.columns = columns_of("|")};
  table.add({"a", "b"});
  EXPECT_EQ(text_of(table), "a  b\n");
}

TEST(Table, EndsWithItsNotes) {
  Table table = sample();
  table.notes = {"1 of 3 is\nleft out"};
  EXPECT_TRUE(text_of(table).ends_with("10.5\n  1 of 3 is left out\n"));
}

TEST(Table, ShadesACellByItsShortfall) {
  EXPECT_EQ(shade_of(-20), 0);
  EXPECT_EQ(shade_of(1), 0);
  EXPECT_EQ(shade_of(1.5), 1);
  EXPECT_EQ(shade_of(11), 4);
}

}  // namespace
}  // namespace hpl
