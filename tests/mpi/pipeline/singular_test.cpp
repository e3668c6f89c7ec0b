#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/cpu_device.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

constexpr std::int64_t kOrder = 40, kBlock = 7;

class SingularMatrix : public testing::TestWithParam<PipelineKind> {
 protected:
  /// Overwrites column `column`, on whoever owns it, with `value`.
  static auto overwrite(std::int64_t column, double value) {
    return [=](const DistributedMatrix& matrix) {
      const LocalShape& shape = matrix.shape();
      if (!shape.columns.mine({column})) return;
      const std::int64_t local = shape.columns.to_local({column}).value;
      for (std::int64_t i = 0; i < shape.local_rows; ++i)
        matrix.view()(i, local) = value;
    };
  }

  test::RunOutcome run(int depth, std::function<void(const DistributedMatrix&)> change) {
    const auto [rows, columns] = grids_.next();
    return test::run_whole(*device_, ranks_,
                           {.order = kOrder,
                            .block_size = kBlock,
                            .grid_rows = rows,
                            .grid_columns = columns,
                            .depth = depth},
                           {.pipeline = GetParam(), .change_matrix = std::move(change)});
  }

  mpi::Communicator ranks_ = mpi::Communicator::world();
  test::GridsInTurn grids_{ranks_.size()};
  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(2);
};

TEST_P(SingularMatrix, IsReportedWithItsColumnOnEveryRank) {
  for (const std::int64_t column : {std::int64_t{0}, std::int64_t{13}, kOrder - 1})
    for (const int depth : {0, 1})
      EXPECT_EQ(run(depth, overwrite(column, 0.0)).zero_column, column) << "depth " << depth;
}

TEST_P(SingularMatrix, OfSeveralZeroColumnsIsReportedWithTheFirst) {
  const auto both = [](const DistributedMatrix& matrix) {
    overwrite(30, 0.0)(matrix);
    overwrite(16, 0.0)(matrix);
  };
  for (const int depth : {0, 1})
    EXPECT_EQ(run(depth, both).zero_column, 16);
}

TEST_P(SingularMatrix, WithAColumnOfNanIsNotSolved) {
  const auto change = overwrite(9, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(run(1, change).zero_column);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, SingularMatrix,
                         testing::Values(PipelineKind::Coarse, PipelineKind::Fine),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace hpl
