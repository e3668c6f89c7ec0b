#include "hpl/base/number/memory_account.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(MemoryBytes, OfPinnedMemoryAreTheDevicesWhereBothShareIt) {
  EXPECT_EQ(pinned_bytes(7, true), (MemoryBytes{7, 0}));
  EXPECT_EQ(pinned_bytes(7, false), (MemoryBytes{0, 7}));
  EXPECT_EQ((MemoryBytes{1, 2} + 3 * MemoryBytes{10, 20}), (MemoryBytes{31, 62}));
}

TEST(MemoryAccount, AddsUpPartsOfDifferentNames) {
  MemoryAccount account{.matrix = {1, 0},
                        .panels = {20, 2},
                        .exchange = {300, 0},
                        .product = {3'000, 0},
                        .panel_solver = {1'000, 0},
                        .checksums = {50'000, 5},
                        .solution = {600'000, 6},
                        .staging = {0, 7},
                        .blas_workspace = {8'000'000, 0},
                        .reserve = {90'000'000, 0}};
  EXPECT_EQ(account.total(), (MemoryBytes{98'654'321, 20}));
  EXPECT_EQ(account.allocated(), (MemoryBytes{8'654'321, 20}));
  MemoryBytes sum;
  std::set<std::string_view> names;
  for (const MemoryAccount::Part& part : account.parts()) {
    sum += part.bytes;
    names.insert(part.name);
  }
  EXPECT_EQ(sum, account.total());
  EXPECT_EQ(names.size(), account.parts().size());
  EXPECT_EQ((account + account).total(), 2 * account.total());
}

TEST(BytesText, HasTheUnitThatFits) {
  EXPECT_EQ(bytes_text(149'550'000'000), "149.55 GB");
  EXPECT_EQ(bytes_text(1'000'000'000), "1.00 GB");
  EXPECT_EQ(bytes_text(999'600'000), "1.00 GB");
  EXPECT_EQ(bytes_text(85'000'000), "85 MB");
  EXPECT_EQ(bytes_text(3'140'000), "3.1 MB");
  EXPECT_EQ(bytes_text(9'960'000), "10 MB");
  EXPECT_EQ(bytes_text(24'000), "24 kB");
  EXPECT_EQ(bytes_text(0), "0 kB");
}

TEST(MemoryAccount, IsDescribedByThePartsThatItHas) {
  MemoryAccount account{.matrix = {2'500'000'000, 0}, .panels = {30'000'000, 0}};
  EXPECT_EQ(describe(account), "matrix 2.50 GB, panel workspaces 30 MB");
  account.panels.host = 1'000'000;
  account.staging.host = 4'000'000;
  EXPECT_EQ(describe(account),
            "matrix 2.50 GB, panel workspaces 30 MB; pinned in the host's memory 5.0 MB");
}

}  // namespace
}  // namespace hpl
