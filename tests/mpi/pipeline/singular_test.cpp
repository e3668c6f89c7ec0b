#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/cpu_device.h"
#include "support/forwarding_device.h"
#include "support/reference_lu.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

constexpr std::int64_t kOrder = 40, kBlock = 7;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The replacement of the benchmark's element (i, j) of [A|b].
using Change = std::function<double(std::int64_t i, std::int64_t j, double value)>;

Change column_of(std::int64_t column, double value) {
  return [=](std::int64_t, std::int64_t j, double old) { return j == column ? value : old; };
}

Change element_of(std::int64_t row, std::int64_t column, double value) {
  return [=](std::int64_t i, std::int64_t j, double old) {
    return i == row && j == column ? value : old;
  };
}

test::Dense changed_matrix(const Change& change) {
  test::Dense a = test::benchmark_matrix(kOrder);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j)
      a(i, j) = change(i, j, a(i, j));
  return a;
}

std::optional<std::int64_t> zero_column_of(test::Dense a, std::int64_t first = 0) {
  const std::int64_t column = test::eliminate(a, kOrder, first).zero_column;
  return column < 0 ? std::nullopt : std::optional(column);
}

/// A device on which an element of a matrix comes out wrong of the tail update of one step.
class SpoilingDevice final : public test::ForwardingDevice {
 public:
  SpoilingDevice(hpcx::Device& device, std::int64_t step, double value)
      : ForwardingDevice(device), updates_(step), value_(value) {}

  /// The element, in device memory; none is spoiled where this is not called.
  void spoil(const double* element) { element_ = element; }

 private:
  void gemm(hpcx::StreamRef stream, const hpcx::MatrixProduct& product) override {
    const hpcx::MatrixView& c = product.c;
    ForwardingDevice::gemm(stream, product);
    const bool tail_update = product.alpha == -1.0 && c.layout == hpcx::Layout::RowMajor;
    if (!tail_update || element_ == nullptr || element_ < c.data) return;
    const std::int64_t i = (element_ - c.data) / c.ld, j = (element_ - c.data) % c.ld;
    if (i >= c.rows || j >= c.cols || updates_-- != 0) return;
    stream.device().kernels().fill(stream, value_, c.block(i, j, 1, 1));
  }

  const double* element_ = nullptr;
  std::int64_t updates_;  // of the element until it is spoiled
  double value_;
};

class SingularMatrix : public testing::TestWithParam<std::tuple<PipelineKind, hpcx::Backend>> {
 protected:
  void SetUp() override {
    if (backend() == hpcx::Backend::Cpu) return;
    const std::vector<hpcx::DeviceProperties> devices = hpcx::list_devices();
    const auto count = std::ranges::count(devices, backend(), &hpcx::DeviceProperties::backend);
    gpu_ =
        hpcx::open_device({.backend = backend(), .index = ranks_.rank() % static_cast<int>(count)});
  }

  static hpcx::Backend backend() { return std::get<hpcx::Backend>(GetParam()); }
  hpcx::Device& device() const { return gpu_ ? *gpu_ : *cpu_; }

  /// `change` applied to what this process has of [A|b].
  auto applied(const Change& change) const {
    return [this, change](const DistributedMatrix& matrix) {
      const LocalShape& shape = matrix.shape();
      const hpcx::MatrixView there = matrix.view();
      std::vector<double> memory(static_cast<std::size_t>(shape.bytes()) / sizeof(double));
      const hpcx::MatrixView here{memory.data(), there.rows, there.cols, there.ld, there.layout};
      const hpcx::Stream stream = device().create_stream(hpcx::Priority::Normal);
      stream.ref().copy(memory.data(), there.data, shape.bytes());
      stream.ref().synchronize();
      for (std::int64_t i = 0; i < shape.local_rows; ++i)
        for (std::int64_t j = 0; j < shape.local_columns; ++j)
          here(i, j) = change(shape.rows.to_global({i}).value, shape.columns.to_global({j}).value,
                              here(i, j));
      stream.ref().copy(there.data, memory.data(), shape.bytes());
      stream.ref().synchronize();
    };
  }

  test::RunOutcome run(const test::GridShape& grid, int depth,
                       std::function<void(const DistributedMatrix&)> change_matrix,
                       hpcx::Device* factorizing = nullptr) {
    return test::run_whole(device(), ranks_,
                           {.order = kOrder,
                            .block_size = kBlock,
                            .grid_rows = grid.rows,
                            .grid_columns = grid.columns,
                            .depth = depth},
                           {.pipeline = std::get<PipelineKind>(GetParam()),
                            .change_matrix = std::move(change_matrix),
                            .factorizing_device = factorizing,
                            .host_device = cpu_.get(),
                            .device_panel = gpu_ != nullptr});
  }
  test::RunOutcome run(const test::GridShape& grid, int depth, const Change& change) {
    return run(grid, depth, applied(change));
  }

  /// A row or column that this process of its column or row has, of the blocks from `block` on.
  static std::int64_t index_of(int process, int processes, std::int64_t block,
                               std::int64_t within) {
    while (block % processes != process)
      ++block;
    return block * kBlock + within;
  }

  /// Every rank comes to the same verdict: no pivot in that column, or else a solution that is not
  /// that of the benchmark's system.
  void expect_refused(const test::RunOutcome& outcome, std::optional<std::int64_t> zero_column,
                      const std::string& what) const {
    EXPECT_EQ(outcome.zero_column, zero_column) << what;
    EXPECT_FALSE(passed(outcome)) << what;
  }

  /// The same for an element that was spoiled in `column`. The host's panel takes any number before
  /// NaN and so goes on as long as there is one, as elimination in the textbook does. A device's
  /// panel takes NaN first: it ends in the first column where it meets one.
  void expect_found_out(const test::RunOutcome& outcome, std::optional<std::int64_t> zero_column,
                        std::int64_t column, const std::string& what) const {
    if (gpu_ == nullptr) return expect_refused(outcome, zero_column, what);
    EXPECT_FALSE(passed(outcome)) << what;
    if (!outcome.zero_column) return;
    EXPECT_GE(*outcome.zero_column, std::min(column, kOrder - 1)) << what;
    EXPECT_LE(*outcome.zero_column, zero_column.value_or(kOrder - 1)) << what;
  }

  static bool passed(const test::RunOutcome& outcome) {
    return !outcome.zero_column && outcome.residual.passed;
  }

  static std::string name(const test::GridShape& grid, int depth) {
    return std::to_string(grid.rows) + " x " + std::to_string(grid.columns) + ", depth " +
           std::to_string(depth);
  }

  mpi::Communicator ranks_ = mpi::Communicator::world();
  test::GridsInTurn grids_{ranks_.size()};
  std::unique_ptr<hpcx::Device> cpu_ = test::open_cpu(2);
  std::unique_ptr<hpcx::Device> gpu_;
};

TEST_P(SingularMatrix, IsReportedWithItsColumnOnEveryRank) {
  for (const std::int64_t column : {std::int64_t{0}, std::int64_t{13}, kOrder - 1})
    for (const int depth : {0, 1, 3}) {
      const test::GridShape grid = grids_.next();
      expect_refused(run(grid, depth, column_of(column, 0)), column, name(grid, depth));
    }
}

TEST_P(SingularMatrix, OfSeveralZeroColumnsIsReportedWithTheFirst) {
  const auto both = [](std::int64_t, std::int64_t j, double value) {
    return j == 30 || j == 16 ? 0.0 : value;
  };
  for (const int depth : {0, 1}) {
    const test::GridShape grid = grids_.next();
    expect_refused(run(grid, depth, both), 16, name(grid, depth));
  }
}

TEST_P(SingularMatrix, OfZerosHasNoPivotInTheFirstColumn) {
  const auto zero = [](std::int64_t, std::int64_t, double) { return 0.0; };
  for (const test::GridShape& grid : test::grids_of(ranks_.size()))
    expect_refused(run(grid, 1, zero), 0, name(grid, 1));
}

TEST_P(SingularMatrix, WithTwoEqualColumnsIsReportedWithTheSecond) {
  // Zeros and ones: elimination makes no rounding error that could hide it.
  for (const std::int64_t column : {std::int64_t{1}, std::int64_t{14}, kOrder - 1}) {
    const auto change = [=](std::int64_t i, std::int64_t j, double) {
      return i == (j == column ? column - 1 : j) ? 1.0 : 0.0;
    };
    for (const test::GridShape& grid : test::grids_of(ranks_.size()))
      expect_refused(run(grid, 1, change), column, name(grid, 1));
  }
}

TEST_P(SingularMatrix, WithARowOfZerosHasNoPivotInTheLastColumn) {
  for (const std::int64_t row : {std::int64_t{0}, std::int64_t{20}, kOrder - 1}) {
    const auto change = [=](std::int64_t i, std::int64_t, double value) {
      return i == row ? 0.0 : value;
    };
    const test::GridShape grid = grids_.next();
    expect_refused(run(grid, 1, change), kOrder - 1, name(grid, 1));
  }
}

TEST_P(SingularMatrix, ButForRoundingIsSolvedAsWellAsAnyOther) {
  // A column is another one but for this part of what it was.
  for (const double part : {1e-3, 1e-8, 1e-12}) {
    const auto change = [=](std::int64_t i, std::int64_t j, double value) {
      if (j != 25) return value;
      const auto other = hpcx::generator::state_of(kOrder, static_cast<std::uint64_t>(i), 3);
      return hpcx::generator::value(other) + part * value;
    };
    const test::Dense a = changed_matrix(change);
    for (const test::GridShape& grid : test::grids_of(ranks_.size())) {
      const test::RunOutcome outcome = run(grid, 1, change);
      ASSERT_FALSE(outcome.zero_column) << name(grid, 1);
      Residual norms;
      for (std::int64_t i = 0; i < kOrder; ++i) {
        double row = 0, difference = -a(i, kOrder);
        for (std::int64_t j = 0; j < kOrder; ++j) {
          row += std::abs(a(i, j));
          difference += a(i, j) * outcome.x[j];
        }
        norms.matrix_infinity = std::max(norms.matrix_infinity, row);
        norms.right_side_infinity = std::max(norms.right_side_infinity, std::abs(a(i, kOrder)));
        norms.residual_infinity = std::max(norms.residual_infinity, std::abs(difference));
        norms.solution_infinity = std::max(norms.solution_infinity, std::abs(outcome.x[i]));
      }
      EXPECT_LT(scaled_residual(norms, kOrder), 16) << name(grid, 1) << ", part " << part;
      EXPECT_GT(norms.solution_infinity, 0.01 / part) << "the matrix is not nearly singular";
    }
  }
}

TEST_P(SingularMatrix, WithAColumnOfNanIsReportedWithThatColumn) {
  for (const std::int64_t column : {std::int64_t{0}, std::int64_t{9}, kOrder - 1})
    for (const test::GridShape& grid : test::grids_of(ranks_.size()))
      expect_refused(run(grid, 1, column_of(column, kNaN)), column, name(grid, 1));
}

TEST_P(SingularMatrix, WithAWrongElementOnAnyRankIsFoundOut) {
  test::InTurn<double> values({kNaN, kInfinity, -kInfinity}, ranks_.size());
  for (const test::GridShape& grid : test::grids_of(ranks_.size()))
    for (int rank = 0; rank < ranks_.size(); ++rank)
      for (const bool right_side : {false, true}) {
        const GridPosition place =
            grid_position(rank, grid.rows, grid.columns, RankOrder::RowMajor);
        if (right_side && place.column > 0) continue;  // the same element again
        const std::int64_t i = index_of(place.row, grid.rows, 0, 2);
        const std::int64_t j = right_side ? kOrder : index_of(place.column, grid.columns, 0, 3);
        const double value = values.next();
        const Change change = element_of(i, j, value);
        const int depth = rank % 2;
        expect_found_out(run(grid, depth, change), zero_column_of(changed_matrix(change)), j,
                         name(grid, depth) + ", element " + std::to_string(i) + ", " +
                             std::to_string(j) + " = " + std::to_string(value));
      }
}

TEST_P(SingularMatrix, MadeSoByAWrongProductOfAnyRankIsFoundOut) {
  test::InTurn<double> values({kNaN, kInfinity, -kInfinity}, ranks_.size());
  for (const test::GridShape& grid : test::grids_of(ranks_.size()))
    for (int rank = 0; rank < ranks_.size(); ++rank)
      for (const std::int64_t step : {0, 2}) {
        const double value = values.next();
        const GridPosition place =
            grid_position(rank, grid.rows, grid.columns, RankOrder::RowMajor);
        const std::int64_t i = index_of(place.row, grid.rows, step + 1, 1);
        const std::int64_t j = index_of(place.column, grid.columns, step + 1, 2);
        if (i >= kOrder || j >= kOrder) continue;
        SpoilingDevice spoiling(device(), step, value);
        const test::RunOutcome outcome = run(
            grid, rank % 2,
            [&](const DistributedMatrix& matrix) {
              const LocalShape& shape = matrix.shape();
              if (shape.rows.mine({i}) && shape.columns.mine({j}))
                spoiling.spoil(&matrix.view()(shape.rows.to_local({i}).value,
                                              shape.columns.to_local({j}).value));
            },
            &spoiling);
        test::Dense a = test::benchmark_matrix(kOrder);
        test::eliminate(a, (step + 1) * kBlock);
        a(i, j) = value;
        expect_found_out(outcome, zero_column_of(a, (step + 1) * kBlock), j,
                         name(grid, rank % 2) + ", element " + std::to_string(i) + ", " +
                             std::to_string(j) + " = " + std::to_string(value) + " in step " +
                             std::to_string(step));
      }
}

/// The CPU, whose panel is the host's, and what GPUs there are, whose panel is the device's.
std::vector<hpcx::Backend> backends() {
  std::vector<hpcx::Backend> found;
  for (const auto& [backend, name] : hpcx::kBackends)
    if (hpcx::why_unavailable(backend).empty()) found.push_back(backend);
  return found;
}

std::string name_of(const testing::TestParamInfo<SingularMatrix::ParamType>& test) {
  return std::string(to_string(std::get<PipelineKind>(test.param))) + "_" +
         std::string(hpcx::to_string(std::get<hpcx::Backend>(test.param)));
}

INSTANTIATE_TEST_SUITE_P(Pipelines, SingularMatrix,
                         testing::Combine(testing::Values(PipelineKind::Coarse, PipelineKind::Fine),
                                          testing::ValuesIn(backends())),
                         name_of);

}  // namespace
}  // namespace hpl
