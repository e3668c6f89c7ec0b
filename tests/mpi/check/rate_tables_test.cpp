#include "rates/rate_tables.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(RateTables, HoldMediansOfTheRanksThatMeasure) {
  const mpi::Communicator world = mpi::Communicator::world();
  const RateTables tables(world, {});
  const bool measures = world.rank() % 2 == 0;
  const RateTable table = tables.table(
      {{1, 2}, {10, 20}}, [&](const Sizes& s) { return measures ? s[0] * s[1] : kNotMeasured; });
  EXPECT_EQ(table.values(), (std::vector<double>{10, 20, 20, 40}));
  std::vector<double> ranks;
  for (int rank = 0; rank < world.size(); rank += 2)
    ranks.push_back(rank);
  EXPECT_EQ(tables.median_of_ranks(measures ? world.rank() : kNotMeasured), median(ranks));
}

}  // namespace
}  // namespace hpl
