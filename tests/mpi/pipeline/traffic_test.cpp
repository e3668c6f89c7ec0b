#include <gtest/gtest.h>

#include <memory>

#include "hpl/lu/broadcast/broadcast.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/panel/panel_layout.h"
#include "support/cpu_device.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

/// Bytes that the pattern of a broadcast brings to a rank.
std::int64_t arriving(const mpi::Schedule& schedule) {
  std::int64_t bytes = 0;
  for (const mpi::Stage& stage : schedule)
    for (const mpi::Message& message : stage.messages)
      if (message.direction == mpi::Message::Direction::Receive) bytes += message.bytes;
  return bytes;
}

/// The bytes that the panels of a run on one process row bring to the rank in this process column.
std::int64_t panels_for(const RunSpec& spec, int column) {
  const LocalShape shape = local_shape(spec, {.row = 0, .column = column});
  std::int64_t bytes = 0;
  for (std::int64_t step = 0; step < step_count(shape); ++step) {
    const StepGeometry g = step_geometry(shape, step);
    bytes += arriving(broadcast_schedule(spec.broadcast, {.rank = column,
                                                          .root = g.owner_column,
                                                          .size = spec.grid_columns,
                                                          .bytes = panel_layout(g).bytes()}));
  }
  return bytes;
}

TEST(Traffic, OfMessagesIsWhatTheSchedulesOfTheBroadcastsSay) {
  const mpi::Communicator ranks = mpi::Communicator::world();
  const auto device = test::open_cpu(1);
  for (const BroadcastVariant variant : {BroadcastVariant::Ring1M, BroadcastVariant::Long}) {
    const RunSpec spec{
        .order = 150, .block_size = 16, .grid_columns = ranks.size(), .broadcast = variant};
    std::int64_t after_factorization = 0;
    const std::int64_t before = ranks.received_bytes();
    test::RunSetup setup{.pipeline = PipelineKind::Coarse};
    setup.on_factorized = [&] { after_factorization = ranks.received_bytes(); };
    test::run_whole(*device, ranks, spec, setup);
    EXPECT_EQ(after_factorization - before, panels_for(spec, ranks.rank())) << to_string(variant);
  }
}

TEST(Traffic, OfASubsetOfRanksIsCountedApart) {
  const mpi::Communicator world = mpi::Communicator::world();
  const auto all = world.subset(true, world.rank());
  const std::int64_t before = world.received_bytes();
  std::byte data{};
  const int left = (all->rank() + all->size() - 1) % all->size();
  const mpi::Communicator derived = all->dup();
  mpi::Request receive = mpi::irecv(derived, {&data, 1}, left, 0);
  const std::byte sent{};
  mpi::Request send = mpi::isend(derived, {&sent, 1}, (all->rank() + 1) % all->size(), 0);
  receive.wait({});
  send.wait({});
  EXPECT_EQ(all->received_bytes(), 1);
  EXPECT_EQ(world.received_bytes(), before);
}

}  // namespace
}  // namespace hpl
