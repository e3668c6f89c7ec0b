#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "hpcx/emulation.h"
#include "hpcx/generator.h"
#include "support/cpu_device.h"
#include "support/forwarding_device.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

/// The place of a flipped bit: in the result of the product, or in a factor. Or the result is no
/// number.
enum class Where { Result, LowerFactor, UpperFactor, NotANumber };

/// A device on which the highest bit of an exponent flips at one product of the tail update: the
/// one with this number.
class FlippingDevice final : public test::ForwardingDevice {
 public:
  FlippingDevice(hpcx::Device& device, Where where, std::int64_t product)
      : ForwardingDevice(device), where_(where), left_(product) {}

 private:
  void gemm(hpcx::StreamRef stream, const hpcx::MatrixProduct& product) override {
    const bool now = product.alpha == -1.0 && left_-- == 0;  // only the tail update subtracts
    const auto flip = [&](hpcx::ConstMatrixView m) {
      if (!now) return;
      // Memory of the CPU device, which the test may write to.
      auto* const element = const_cast<double*>(&m(m.rows > 3 ? 3 : 0, m.cols > 2 ? 2 : 0));
      stream.host_task([this, element] {
        constexpr std::uint64_t kBit = std::uint64_t{1} << 55;  // 2^8 times as large, or as small
        *element = where_ == Where::NotANumber
                       ? std::numeric_limits<double>::quiet_NaN()
                       : std::bit_cast<double>(std::bit_cast<std::uint64_t>(*element) ^ kBit);
      });
    };
    if (where_ == Where::LowerFactor) flip(product.a);
    if (where_ == Where::UpperFactor) flip(product.b);
    ForwardingDevice::gemm(stream, product);
    if (where_ == Where::Result || where_ == Where::NotANumber) flip(product.c);
  }

  Where where_;
  std::int64_t left_;
};

/// A device whose emulated products go wrong at one update of the tail: the one with this number.
class ErringEmulation final : public test::ForwardingDevice, hpcx::Emulation {
 public:
  /// Adds `error` to an element of the result; 0: to a residue of a factor, a one.
  ErringEmulation(hpcx::Device& device, std::int64_t product, double error)
      : ForwardingDevice(device), inner_(*device.emulation()), left_(product), error_(error) {}

  hpcx::Emulation* emulation() override { return this; }

 private:
  void prepare(hpcx::StreamRef stream, hpcx::ConstMatrixView matrix,
               const hpcx::ResidueView& residues) override {
    inner_.prepare(stream, matrix, residues);
  }
  void add_product(hpcx::StreamRef stream, const hpcx::EmulatedProduct& product,
                   const hpcx::Buffer& workspace) override {
    const bool now = product.factor == -1 && left_-- == 0;
    if (now && error_ == 0) stream.host_task([residue = product.b.residues] { *residue ^= 1; });
    inner_.add_product(stream, product, workspace);
    if (now && error_ != 0)
      stream.host_task([this, element = &product.c(3, 2)] { *element += error_; });
  }

  hpcx::Emulation& inner_;
  std::int64_t left_;
  double error_;
};

/// Makes [A|b] that of another seed than the benchmark's.
auto of_seed(std::uint64_t seed) {
  return [seed](const DistributedMatrix& matrix) {
    const LocalShape& shape = matrix.shape();
    const hpcx::MatrixView a = matrix.view();
    for (std::int64_t i = 0; i < shape.local_rows; ++i)
      for (std::int64_t j = 0; j < shape.local_columns; ++j) {
        const std::int64_t number = 1 + shape.rows.to_global({i}).value +
                                    shape.columns.to_global({j}).value * matrix.order();
        a(i, j) =
            hpcx::generator::value(hpcx::generator::jump(static_cast<std::uint64_t>(number))(seed));
      }
  };
}

class Checksums : public testing::TestWithParam<PipelineKind> {
 protected:
  static constexpr std::int64_t kChunk = 24;

  RunSpec spec(int rows, int columns) const {
    return {.order = 150,
            .block_size = 8,
            .grid_rows = rows,
            .grid_columns = columns,
            .checksums = true};
  }

  /// The number of products that rank `rank` makes before `step`.
  std::int64_t products_before(const RunSpec& run, int rank, std::int64_t step) const {
    const LocalShape shape =
        local_shape(run, grid_position(rank, run.grid_rows, run.grid_columns, run.rank_order));
    const Schedule schedule = lu_schedule(
        run, shape, {.visits = visits_, .look_ahead = run.depth, .chunk_columns = kChunk});
    std::int64_t products = 0;
    for (const Task& task : schedule.tasks()) {
      if (task.kind != TaskKind::Update) continue;
      if (task.step == step) break;
      ++products;
    }
    return products;
  }

  /// Faults of all ranks when a bit flips on one of them in one step, on every rank.
  std::vector<ChecksumFault> faults(const RunSpec& run, Where where, int rank, std::int64_t step,
                                    std::int64_t interval = 1) const {
    const std::int64_t product = rank == ranks_.rank() ? products_before(run, rank, step) : -1;
    FlippingDevice flipping(*device_, where, product);
    const test::RunOutcome outcome = test::run_whole(*device_, ranks_, run,
                                                     {.pipeline = GetParam(),
                                                      .chunk_columns = kChunk,
                                                      .visits = visits_,
                                                      .checksum_interval = interval,
                                                      .factorizing_device = &flipping});
    return ranks_.all_gather(outcome.fault.value_or(ChecksumFault{}));
  }

  void expect_found(const RunSpec& run, Where where, int rank, std::int64_t step) const {
    const std::vector<ChecksumFault> found = faults(run, where, rank, step);
    const std::string what = "grid " + std::to_string(run.grid_rows) + " x " +
                             std::to_string(run.grid_columns) + ", rank " + std::to_string(rank) +
                             ", step " + std::to_string(step);
    for (int r = 0; r < ranks_.size(); ++r) {
      const ChecksumFault& fault = found[static_cast<std::size_t>(r)];
      if (r == rank) {
        EXPECT_GT(fault.rows, 0) << what;
        EXPECT_EQ(fault.first_step, step) << what;
        EXPECT_EQ(fault.last_step, step) << what;
      } else if (fault.rows > 0) {
        EXPECT_GT(fault.last_step, step) << what << ": blames rank " << r;
      }
    }
  }

  VisitPolicy visits_;
  mpi::Communicator ranks_ = mpi::Communicator::world();
  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(1);
};

TEST_P(Checksums, AgreeWhereNothingIsWrong) {
  test::InTurn<int> depths({0, 1, 3}, ranks_.size());
  for (const auto& [rows, columns] : test::grids_of(ranks_.size()))
    for (const std::int64_t order : {1, 8, 37, 190}) {
      RunSpec run = spec(rows, columns);
      run.order = order;
      run.depth = depths.next();
      const test::RunOutcome outcome = test::run_whole(
          *device_, ranks_, run, {.pipeline = GetParam(), .solve_rows = run.depth == 0 ? 0 : 5});
      EXPECT_FALSE(outcome.fault) << order << " on " << rows << " x " << columns << ", depth "
                                  << run.depth << ": " << outcome.fault->difference << " in step "
                                  << outcome.fault->last_step;
      EXPECT_TRUE(outcome.residual.passed);
    }
}

TEST_P(Checksums, AreComparedAfterTheLastStepThatLeavesATailHoweverLongTheInterval) {
  for (const auto& [rows, columns] : test::grids_of(ranks_.size()))
    for (const std::int64_t order : {1, 8, 9, 37, 190}) {
      RunSpec run = spec(rows, columns);
      run.order = order;
      const test::RunOutcome outcome = test::run_whole(
          *device_, ranks_, run, {.pipeline = GetParam(), .checksum_interval = 1000});
      const StepGeometry first = step_geometry(
          local_shape(run, grid_position(ranks_.rank(), rows, columns, run.rank_order)), 0);
      const bool has_tail = first.below_rows > 0 && first.tail_columns > 0;
      EXPECT_EQ(outcome.comparisons, has_tail ? std::optional<std::int64_t>(1) : std::nullopt)
          << order << " on " << rows << " x " << columns;
      EXPECT_FALSE(outcome.fault);
    }
}

TEST_P(Checksums, FindAFlippedBitHoweverLongTheInterval) {
  for (const auto& [rows, columns] : test::grids_of(ranks_.size())) {
    const std::vector<ChecksumFault> found =
        faults(spec(rows, columns), Where::Result, ranks_.size() - 1, 3, 1000);
    EXPECT_TRUE(
        std::ranges::any_of(found, [](const ChecksumFault& fault) { return fault.rows > 0; }))
        << rows << " x " << columns;
  }
}

TEST_P(Checksums, LeaveTheSolutionAlone) {
  for (const auto& [rows, columns] : test::grids_of(ranks_.size())) {
    RunSpec run = spec(rows, columns);
    const test::RunOutcome with = test::run_whole(*device_, ranks_, run, {.pipeline = GetParam()});
    run.checksums = false;
    const test::RunOutcome without =
        test::run_whole(*device_, ranks_, run, {.pipeline = GetParam()});
    EXPECT_LT(test::relative_distance(with.x, without.x), 1e-10);
    EXPECT_FALSE(without.fault);
  }
}

TEST_P(Checksums, FindTheStepAndTheRankOfAFlippedBit) {
  test::InTurn<std::int64_t> steps({0, 7}, ranks_.size());
  for (const auto& [rows, columns] : test::grids_of(ranks_.size())) {
    for (int rank = 0; rank < ranks_.size(); ++rank)
      expect_found(spec(rows, columns), Where::Result, rank, steps.next());
    steps.next();
  }
}

TEST_P(Checksums, FindWhatIsNotANumber) {
  for (const auto& [rows, columns] : test::grids_of(ranks_.size()))
    expect_found(spec(rows, columns), Where::NotANumber, ranks_.size() - 1, 2);
}

TEST_P(Checksums, OfZerosShowNothing) {
  const auto make_zero = [](const DistributedMatrix& matrix) {
    const hpcx::MatrixView a = matrix.view();
    for (std::int64_t i = 0; i < a.rows; ++i)
      std::fill_n(&a(i, 0), a.cols, 0.0);
  };
  for (const auto& [rows, columns] : test::grids_of(ranks_.size())) {
    const test::RunOutcome outcome =
        test::run_whole(*device_, ranks_, spec(rows, columns),
                        {.pipeline = GetParam(), .change_matrix = make_zero});
    EXPECT_EQ(outcome.comparisons, 0) << rows << " x " << columns;
  }
}

TEST_P(Checksums, FindAFlippedBitAtAnyDepthOfLookAhead) {
  test::InTurn<int> depths({0, 2}, ranks_.size());
  for (const auto& [rows, columns] : test::grids_of(ranks_.size())) {
    RunSpec run = spec(rows, columns);
    run.depth = depths.next();
    expect_found(run, Where::Result, ranks_.size() - 1, 4);
  }
}

TEST_P(Checksums, FindAFlippedBitWithColumnsInHostMemory) {
  visits_ = {.resident_columns = 30, .steps = 3, .columns = 4};
  test::InTurn<std::int64_t> steps({0, 4, 11}, ranks_.size());
  for (const auto& [rows, columns] : test::grids_of(ranks_.size()))
    expect_found(spec(rows, columns), Where::Result, ranks_.size() - 1, steps.next());
}

TEST_P(Checksums, FindAWrongRowOfU) {
  for (const auto& [rows, columns] : test::grids_of(ranks_.size()))
    expect_found(spec(rows, columns), Where::UpperFactor, ranks_.size() - 1, 5);
}

TEST_P(Checksums, FindAWrongPanelOnTheProcessColumnThatOwnsIt) {
  for (const auto& [rows, columns] : test::grids_of(ranks_.size())) {
    const RunSpec run = spec(rows, columns);
    // Step `columns` has its panel on process column 0, like rank 0.
    expect_found(run, Where::LowerFactor, 0, columns);
  }
}

TEST_P(Checksums, OfEmulatedProductsAgreeWhereNothingIsWrong) {
  struct Cut {
    std::int64_t block, interval;
  };
  test::GridsInTurn grids(ranks_.size());
  test::InTurn<Cut> cuts({{8, 1}, {8, 1000}, {32, 1}, {32, 1000}}, ranks_.size());
  // Other systems in each job and pipeline.
  auto seed = static_cast<std::uint64_t>(1000 * ranks_.size());
  if (GetParam() == PipelineKind::Fine) seed += 500;
  for (int moduli = hpcx::kFewestModuli; moduli <= hpcx::kMostModuli; ++moduli)
    for (const std::int64_t order : {9, 37, 200}) {
      const auto [rows, columns] = grids.next();
      const auto [block, interval] = cuts.next();
      RunSpec run = spec(rows, columns);
      run.order = order;
      run.block_size = block;
      run.emulated_moduli = moduli;
      const test::RunOutcome outcome = test::run_whole(*device_, ranks_, run,
                                                       {.pipeline = GetParam(),
                                                        .checksum_interval = interval,
                                                        .change_matrix = of_seed(++seed)});
      EXPECT_FALSE(outcome.fault) << moduli << " moduli, N " << order << ", NB " << block
                                  << ", seed " << seed << ": " << outcome.fault->difference
                                  << " above " << outcome.fault->tolerance;
    }
}

TEST_P(Checksums, OfEmulatedProductsFindWhatIsAboveTheirTolerance) {
  constexpr std::int64_t kStep = 5;
  // One process row: a wrong row cannot move to another rank before it is seen.
  RunSpec run = spec(1, ranks_.size());
  double tolerance = 1;
  // One pipeline takes every second number of moduli, the other one those between.
  const int first = hpcx::kFewestModuli + (GetParam() == PipelineKind::Coarse ? 1 : 0);
  for (int moduli = first; moduli <= hpcx::kMostModuli; moduli += 2) {
    run.emulated_moduli = moduli;
    const auto fault_of = [&](double error) {
      const std::int64_t product = ranks_.rank() == 0 ? products_before(run, 0, kStep) : -1;
      ErringEmulation erring(*device_, product, error);
      const test::RunOutcome outcome = test::run_whole(
          *device_, ranks_, run,
          {.pipeline = GetParam(), .chunk_columns = kChunk, .factorizing_device = &erring});
      return ranks_.broadcast_value(outcome.fault.value_or(ChecksumFault{}), 0);
    };
    const ChecksumFault residue = fault_of(0);
    EXPECT_GT(residue.rows, 0) << moduli;
    EXPECT_EQ(residue.last_step, kStep) << moduli;
    EXPECT_LT(residue.tolerance, tolerance) << moduli;
    tolerance = residue.tolerance;
    const ChecksumFault above = fault_of(2 * tolerance), below = fault_of(tolerance / 2);
    EXPECT_EQ(above.rows, 1) << moduli;
    EXPECT_EQ(above.last_step, kStep) << moduli;
    EXPECT_EQ(below.rows, 0) << moduli;
  }
}

TEST_P(Checksums, ComparedNowAndThenNameTheStepsBetween) {
  // One process row: a wrong row cannot move to another rank before it is seen.
  const RunSpec run = spec(1, ranks_.size());
  const std::vector<ChecksumFault> found = faults(run, Where::Result, 0, 5, 4);
  EXPECT_EQ(found[0].first_step, 4);
  EXPECT_EQ(found[0].last_step, 7);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Checksums,
                         testing::Values(PipelineKind::Coarse, PipelineKind::Fine),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace hpl
