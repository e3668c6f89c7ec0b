#include "hpl/lu/solve/solution_hash.h"

#include <vector>

#include <gtest/gtest.h>

#include "support/grid_system.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

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
