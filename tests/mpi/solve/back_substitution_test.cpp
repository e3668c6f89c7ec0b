#include "hpl/lu/solve/back_substitution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/solve/solution_hash.h"
#include "support/counted_messages.h"
#include "support/grid_system.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

using test::Dense;

/// [U|y] with y = U x for x = 1, 2, 3, ...; below the diagonal stands what nobody may read.
Dense triangular_system(std::int64_t order) {
  Dense u = test::random_dense(order, order + 1, static_cast<unsigned>(order));
  for (std::int64_t i = 0; i < order; ++i) {
    for (std::int64_t j = 0; j < i; ++j)
      u(i, j) = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t j = i + 1; j < order; ++j)
      u(i, j) /= static_cast<double>(order);
    u(i, i) = i % 2 == 0 ? 1.5 : -2.0;
    u(i, order) = 0;
    for (std::int64_t j = i; j < order; ++j)
      u(i, order) += u(i, j) * static_cast<double>(j + 1);
  }
  return u;
}

void solve(hpcx::StreamRef stream, test::GridSystem& system) {
  BackSubstitution({stream, stream, stream}, system.parts(), mpi::WaitPolicy::sleeping()).run();
}

TEST(BackSubstitutionTest, SolvesTheTriangleOnEveryGrid) {
  const auto device = test::open_cpu(2);
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::High);
  const mpi::Communicator world = mpi::Communicator::world();
  for (const auto& [rows, columns] : test::grids_of(world.size()))
    for (const auto& [order, block] :
         {std::pair{0, 4}, {1, 1}, {1, 8}, {13, 1}, {30, 7}, {64, 8}, {65, 16}, {20, 32}}) {
      test::GridSystem system(
          *device,
          {.order = order, .block_size = block, .grid_rows = rows, .grid_columns = columns});
      system.set_matrix(triangular_system(order));
      std::vector<double> expected;
      for (int i = 0; i < order; ++i)
        expected.push_back(i + 1);

      solve(stream, system);

      const auto x = test::gather_solution(stream, system.parts());
      EXPECT_LT(test::relative_distance(x, expected), 1e-12) << system.name();
    }
}

TEST(BackSubstitutionTest, GivesTheSameBitsAgainOnEveryGrid) {
  const auto device = test::open_cpu(1);
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::High);
  for (const auto& [rows, columns] : test::grids_of(mpi::Communicator::world().size())) {
    test::GridSystem system(
        *device, {.order = 40, .block_size = 6, .grid_rows = rows, .grid_columns = columns});
    system.set_matrix(triangular_system(40));
    solve(stream, system);
    const auto first = test::gather_solution(stream, system.parts());
    solve(stream, system);
    EXPECT_EQ(test::gather_solution(stream, system.parts()), first) << system.name();
  }
}

/// Formulas: "Messages of a run" in the notebook's scale.md.
TEST(BackSubstitutionTest, SendsTheMessagesOfItsFormulas) {
  const auto device = test::open_cpu(1);
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::High);
  const mpi::Communicator world = mpi::Communicator::world();
  constexpr std::int64_t kBlock = 8;
  const auto most_of_a_step = [](int line) -> std::int64_t {
    return line <= 32 ? line - 1 : std::bit_width(static_cast<unsigned>(line - 1));
  };
  for (const auto& [rows, columns] : test::grids_of(world.size()))
    for (const std::int64_t steps : {1, 5}) {
      test::GridSystem system(*device, {.order = steps * kBlock,
                                        .block_size = kBlock,
                                        .grid_rows = rows,
                                        .grid_columns = columns});
      system.set_matrix(triangular_system(steps * kBlock));
      const test::SentMessages before = test::sent_messages;
      // Of the grid and all that was derived with it.
      const auto received = [&] { return system.grid.row().received_bytes(); };
      const std::int64_t received_before = received();

      solve(stream, system);

      const test::SentMessages sent = test::sent_messages - before;
      const std::int64_t messages = steps * (rows - 1 + columns - 1);
      EXPECT_EQ(world.all_reduce(sent.messages, mpi::Reduce::Sum), messages) << system.name();
      EXPECT_EQ(world.all_reduce(sent.bytes, mpi::Reduce::Sum), messages * 8 * kBlock);
      if (steps > 1) continue;
      EXPECT_EQ(world.all_reduce(sent.messages, mpi::Reduce::Max),
                std::max<std::int64_t>(most_of_a_step(rows), columns > 1 ? 1 : 0))
          << system.name();
      EXPECT_EQ(world.all_reduce((received() - received_before) / (8 * kBlock), mpi::Reduce::Max),
                std::max<std::int64_t>(most_of_a_step(columns), rows > 1 ? 1 : 0))
          << system.name();
    }
}

TEST(SolutionHash, IsTheSumOfItsElementsOnEveryGrid) {
  const auto device = test::open_cpu(1);
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::Normal);
  for (const auto& [rows, columns] : test::grids_of(mpi::Communicator::world().size()))
    for (const int order : {0, 1, 29, 100}) {
      RunSpec spec{.order = order, .block_size = 8, .grid_rows = rows, .grid_columns = columns};
      if (order == 100) spec.column_weights.assign(static_cast<std::size_t>(columns), 1.0);
      test::GridSystem system(*device, spec);
      std::vector<double> x;
      std::uint64_t expected = 0;
      for (int i = 0; i < order; ++i) {
        x.push_back(1.0 / (i + 3));
        expected += element_hash(i, x.back());
      }
      system.set_solution(x);
      const auto hash = [&] { return solution_hash(stream, system.parts()); };
      EXPECT_EQ(hash(), expected) << system.name();
      if (order == 0) continue;
      x.back() = std::nextafter(x.back(), 1.0);
      system.set_solution(x);
      EXPECT_NE(hash(), expected) << system.name();
    }
}

}  // namespace
}  // namespace hpl
