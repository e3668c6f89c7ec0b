#include "rates/message_shares.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/grid/process_grid.h"
#include "support/cpu_device.h"

namespace hpl {
namespace {

TEST(MessageShares, AreThoseOfAGridWithRowsAndColumns) {
  const mpi::Communicator world = mpi::Communicator::world();
  if (world.size() % 2 != 0 || world.size() == 2)
    GTEST_SKIP() << "a grid has two process rows and two process columns";
  const ProcessGrid grid(world, 2, world.size() / 2, RankOrder::RowMajor);
  const auto device = test::open_cpu(1);
  const RateTables tables(world, {});
  SharedRates shared;
  const std::optional<TransportKind> fastest, kinds[] = {fastest, TransportKind::MpiHost};
  for (const auto& kind : kinds) {
    const LineExchange row(grid.row(), *device, kind, {.own_broadcast = true});
    const LineExchange column(grid.column(), *device, kind);
    measure_message_shares(tables, row, column, shared);
    for (const double share :
         {shared.broadcast_beside_exchange, shared.exchange_beside_broadcast}) {
      EXPECT_GT(share, 0);
      EXPECT_LE(share, 1);
      EXPECT_EQ(world.all_gather(share),
                std::vector<double>(static_cast<std::size_t>(world.size()), share));
    }
  }
}

}  // namespace
}  // namespace hpl
