#include "hpl/job/live/gather.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

/// A second of each rank of a host of four cores that were busy for six seconds.
ProcessorTime used_on(const std::string& host) {
  return {.host = host, .cores = 4, .all = 6, .own = 1};
}

TEST(GatherOthers, LeavesOutTheTimeOfAllRanksOfAHost) {
  const mpi::Communicator world = mpi::Communicator::world();
  const auto others = gather_others(world, used_on("node01"), 2);
  if (world.rank() != 0) {
    EXPECT_FALSE(others);
    return;
  }
  ASSERT_TRUE(others);
  EXPECT_EQ(others->host, "node01");
  EXPECT_DOUBLE_EQ(others->share, (6.0 - world.size()) / 8);
}

TEST(GatherOthers, NamesTheHostWhereTheyTookMost) {
  const mpi::Communicator world = mpi::Communicator::world();
  ProcessorTime used = used_on("quiet");
  if (world.rank() == world.size() - 1) used = {.host = "busy", .cores = 4, .all = 8, .own = 1};
  const auto others = gather_others(world, used, 2);
  EXPECT_EQ(others ? others->host : "", world.rank() == 0 ? "busy" : "");
}

TEST(GatherOthers, OfAShortRunTellsNothing) {
  EXPECT_FALSE(gather_others(mpi::Communicator::world(), used_on("node01"), 0.5));
}

}  // namespace
}  // namespace hpl
