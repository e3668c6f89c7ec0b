#include "hpl/lu/solve/back_substitution.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/solve/solution_hash.h"
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

TEST(BackSubstitutionTest, MayBeRepeated) {
  const auto device = test::open_cpu(1);
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::High);
  const int ranks = mpi::Communicator::world().size();
  test::GridSystem system(*device,
                          {.order = 40, .block_size = 6, .grid_rows = ranks, .grid_columns = 1});
  system.set_matrix(triangular_system(40));
  solve(stream, system);
  const auto first = test::gather_solution(stream, system.parts());
  solve(stream, system);
  EXPECT_EQ(test::gather_solution(stream, system.parts()), first);
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
