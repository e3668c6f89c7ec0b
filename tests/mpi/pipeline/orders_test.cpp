#include <cstdint>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "support/cpu_device.h"
#include "support/reference_lu.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

struct Case {
  std::int64_t order, block;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << "N " << c.order << " NB " << c.block;
}

/// Orders at which parts, panels or chunks become empty or partial.
class Orders : public testing::TestWithParam<Case> {};

TEST_P(Orders, AreSolvedOnEveryGrid) {
  const mpi::Communicator ranks = mpi::Communicator::world();
  const auto device = test::open_cpu(2);
  const auto solution = test::reference_solution(GetParam().order);
  int depth = 0;
  for (const PipelineKind pipeline : {PipelineKind::Coarse, PipelineKind::Fine})
    for (const auto& [rows, columns] : test::grids_of(ranks.size())) {
      // Square-like grids are left to the fine pipeline: it has more to get wrong.
      if (pipeline == PipelineKind::Coarse && rows > 1 && columns > 1) continue;
      depth = 1 - depth;
      const RunSpec spec{.order = GetParam().order,
                         .block_size = GetParam().block,
                         .grid_rows = rows,
                         .grid_columns = columns,
                         .depth = depth};
      const std::string what = std::string(to_string(pipeline)) + " on " + std::to_string(rows) +
                               " x " + std::to_string(columns);
      const test::RunOutcome outcome =
          test::run_whole(*device, ranks, spec, {.pipeline = pipeline});
      EXPECT_FALSE(outcome.zero_column) << what;
      EXPECT_TRUE(outcome.residual.passed) << what << ": " << outcome.residual.scaled;
      EXPECT_LT(test::relative_distance(outcome.x, solution), 1e-10) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(Small, Orders,
                         testing::Values(Case{0, 4}, Case{1, 1}, Case{1, 8}, Case{2, 1}, Case{5, 8},
                                         Case{17, 1}, Case{15, 16}, Case{16, 16}, Case{17, 16},
                                         Case{32, 8}, Case{33, 32}, Case{48, 20}));

}  // namespace
}  // namespace hpl
