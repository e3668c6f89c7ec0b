#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/mixed/mixed_rule.h"
#include "hpl/lu/mixed/mixed_solver.h"
#include "support/counted_messages.h"
#include "support/counting_device.h"
#include "support/cpu_device.h"
#include "support/reference_lu.h"
#include "support/whole_run.h"

// LU and refinement of HPL-MxP against FP64, on all grids of the job's ranks.

namespace hpl {
namespace {

using hpcx::Precision;

struct Outcome {
  std::vector<double> x;
  Refinement refinement;
  Residual residual;
  std::optional<std::int64_t> zero_column;
  std::vector<std::int64_t> steps;
  test::SentMessages refinement_messages = {};
  LocalShape shape;
  PipelineSettings settings;
};

class Mixed : public testing::Test {
 protected:
  Outcome solve(const RunSpec& spec, PipelineKind pipeline, std::int64_t chunk = 40,
                std::optional<std::int64_t> zero_column = {}) {
    return solve(*device_, spec, pipeline, chunk, zero_column);
  }
  Outcome solve(hpcx::Device& device, const RunSpec& spec, PipelineKind pipeline,
                std::int64_t chunk = 40, std::optional<std::int64_t> zero_column = {}) {
    const SchedulePolicy policy{
        .look_ahead = spec.depth, .chunk_columns = chunk, .host_ahead = host_ahead(pipeline)};
    MixedSystem system(device, ranks_, spec);
    if (zero_column) clear_column(system, *zero_column);
    JobControl control;
    PipelineSettings settings{.schedule = policy,
                              .pivot_wait = mpi::WaitPolicy::sleeping(),
                              .message_wait = mpi::WaitPolicy::sleeping()};
    Recorder recorder(system.streams.update);
    const auto lease = pipeline == PipelineKind::Serial ? device.compute_here() : nullptr;
    const mpi::Communicator panel_column = system.grid.column().dup();
    const auto row = make_mpi_device_transport(system.grid.row()),
               column = make_mpi_device_transport(system.grid.column()),
               panel = make_mpi_device_transport(panel_column);
    Outcome outcome{.shape = system.shape, .settings = settings};
    MixedFactorization solver(
        system, {*panel, panel_column},
        {.device = device,
         .host = device,
         .transports = {*row, *column},
         .pipeline = pipeline,
         .settings = settings,
         .control = control,
         .recorder = recorder,
         .on_step = [&](const StepRecord& record) { outcome.steps.push_back(record.step); }});
    solver.factorize();
    outcome.zero_column = solver.stages().zero_pivot_column();
    if (outcome.zero_column) return outcome;
    const test::SentMessages before = test::sent_messages;
    const std::vector<double> x = solver.refine(outcome.refinement);
    outcome.refinement_messages = test::sent_messages - before;
    outcome.residual = system.verify(x, spec.threshold);
    outcome.x = whole(system, x);
    return outcome;
  }

  /// The whole vector on every rank. Differences between the copies within a process row show as
  /// NaN. Collective over the grid.
  static std::vector<double> whole(const MixedSystem& system, const std::vector<double>& own) {
    std::vector<double> first = own;
    system.grid.row().broadcast(std::as_writable_bytes(std::span(first)), 0);
    std::vector<double> all(static_cast<std::size_t>(system.spec.order), 0.0);
    for (std::int64_t i = 0; i < std::ssize(own); ++i) {
      const auto local = static_cast<std::size_t>(i);
      all[static_cast<std::size_t>(system.shape.rows.to_global({i}).value)] =
          own[local] == first[local] ? own[local] : std::numeric_limits<double>::quiet_NaN();
    }
    system.grid.column().all_reduce(all, mpi::Reduce::Sum);
    return all;
  }
  /// A x, both whole on every rank. Collective over the grid.
  static std::vector<double> product(const MixedSystem& system, const std::vector<double>& x) {
    std::vector<double> own(static_cast<std::size_t>(system.shape.local_rows)), y(own.size());
    for (std::size_t i = 0; i < own.size(); ++i)
      own[i] = x[static_cast<std::size_t>(
          system.shape.rows.to_global({static_cast<std::int64_t>(i)}).value)];
    system.product(own, y);
    return whole(system, y);
  }

  /// In FP32: elimination leaves zeros as they are.
  static void clear_column(const MixedSystem& system, std::int64_t global) {
    const LocalShape& shape = system.shape;
    if (!shape.columns.mine({global})) return;
    const auto column =
        system.local({{0}, shape.stored_rows}, {shape.columns.to_local({global}), 1}).as<float>();
    for (std::int64_t i = 0; i < shape.stored_rows; ++i)
      column(i, 0) = 0;
  }

  static RunSpec on_grid(RunSpec spec, const test::GridShape& grid) {
    spec.grid_rows = grid.rows;
    spec.grid_columns = grid.columns;
    return spec;
  }
  /// Calls body(spec) for all grids of the job's ranks.
  template <class Body>
  void on_all_grids(const RunSpec& spec, Body body) const {
    for (const test::GridShape& grid : test::grids_of(ranks_.size()))
      body(on_grid(spec, grid));
  }

  /// The solution by elimination in FP64, on each rank alone. Products with unit vectors give A.
  std::vector<double> reference(const RunSpec& spec) const {
    const MixedSystem system(*device_, alone_, on_grid(spec, {1, 1}));
    const std::int64_t n = spec.order;
    test::Dense a(n, n + 1);
    for (std::int64_t j = 0; j < n; ++j) {
      std::vector<double> unit(static_cast<std::size_t>(n), 0.0);
      unit[static_cast<std::size_t>(j)] = 1;
      const std::vector<double> column = product(system, unit);
      for (std::int64_t i = 0; i < n; ++i)
        a(i, j) = column[static_cast<std::size_t>(i)];
    }
    const std::vector<double> right_side = whole(system, system.right_side());
    for (std::int64_t i = 0; i < n; ++i)
      a(i, n) = right_side[static_cast<std::size_t>(i)];
    test::eliminate(a, n);
    std::vector<double> x(static_cast<std::size_t>(n));
    for (std::int64_t i = n - 1; i >= 0; --i) {
      double sum = a(i, n);
      for (std::int64_t j = i + 1; j < n; ++j)
        sum -= a(i, j) * x[static_cast<std::size_t>(j)];
      x[static_cast<std::size_t>(i)] = sum / a(i, i);
    }
    return x;
  }

  /// By factors that are as good as their format. Worse ones are refined to the same solution, in
  /// more iterations.
  static int most_iterations(Precision operands) {
    return operands == Precision::Fp32 ? 4 : operands == Precision::Fp16 ? 6 : 7;
  }

  void expect_solved(const RunSpec& spec, PipelineKind pipeline,
                     const std::vector<double>& solution, std::int64_t chunk = 40) {
    const Outcome outcome = solve(spec, pipeline, chunk);
    std::ostringstream what;
    what << name_of(kMixedEntries, spec.mixed->entries) << ' '
         << name_of(kPrecisions, spec.mixed->operands) << '/'
         << name_of(kPrecisions, spec.mixed->storage) << ' '
         << name_of(kMixedSolvers, spec.mixed->solver) << " N " << spec.order << " NB "
         << spec.block_size << ' ' << spec.grid_rows << " x " << spec.grid_columns << ' '
         << to_string(pipeline);
    EXPECT_FALSE(outcome.zero_column) << what.str();
    EXPECT_TRUE(outcome.refinement.converged) << what.str();
    EXPECT_LE(outcome.refinement.iterations, most_iterations(spec.mixed->operands)) << what.str();
    EXPECT_TRUE(outcome.residual.passed) << what.str() << ": " << outcome.residual.scaled;
    EXPECT_LT(test::relative_distance(outcome.x, solution), 1e-10) << what.str();
    EXPECT_EQ(std::ssize(outcome.steps), step_count(spec)) << what.str();
  }

  mpi::Communicator ranks_ = mpi::Communicator::world();
  mpi::Communicator alone_ = ranks_.split(ranks_.rank(), 0);
  test::GridsInTurn grids_{ranks_.size()};
  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(2);
};

RunSpec spec_of(std::int64_t order, std::int64_t block, const MixedSpec& mixed) {
  return {.order = order, .block_size = block, .mixed = mixed};
}

TEST_F(Mixed, SolvesEveryMatrixInEveryFormat) {
  for (const auto& entries : kMixedEntries) {
    const MixedSpec any{
        .entries = entries.value, .operands = Precision::Fp32, .storage = Precision::Fp32};
    const std::vector<double> solution = reference(spec_of(131, 20, any));
    for (const auto& [operands, storage] :
         {std::pair{Precision::Fp32, Precision::Fp32}, std::pair{Precision::Fp16, Precision::Fp16},
          std::pair{Precision::Fp16, Precision::Fp32}, std::pair{Precision::Bf16, Precision::Bf16},
          std::pair{Precision::Bf16, Precision::Fp32}}) {
      MixedSpec mixed = any;
      mixed.operands = operands;
      mixed.storage = storage;
      expect_solved(on_grid(spec_of(131, 20, mixed), grids_.next()), PipelineKind::Fine, solution);
    }
  }
}

TEST_F(Mixed, SolvesOrdersThatLeavePartsEmpty) {
  int depth = 0;
  for (const auto& [order, block] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 8}, {2, 1}, {5, 8}, {17, 16}, {48, 20}}) {
    const MixedSpec mixed{.solver = depth == 0 ? MixedSolver::Plain : MixedSolver::Gmres};
    const std::vector<double> solution = reference(spec_of(order, block, mixed));
    on_all_grids(spec_of(order, block, mixed), [&](RunSpec spec) {
      spec.depth = depth;
      for (const PipelineKind pipeline :
           {PipelineKind::Fine, PipelineKind::Coarse, PipelineKind::Serial})
        expect_solved(spec, pipeline, solution);
    });
    depth = (depth + 1) % 3;
  }
}

TEST_F(Mixed, AnEmptySystemIsSolved) {
  on_all_grids(spec_of(0, 4, {}), [&](const RunSpec& spec) {
    EXPECT_TRUE(solve(spec, PipelineKind::Fine).residual.passed);
  });
}

/// Pipelines change no operation.
TEST_F(Mixed, GivesTheSameBitsByEveryPipeline) {
  const MixedSpec mixed{.operands = Precision::Fp32, .storage = Precision::Fp32};
  test::InTurn<int> depths({0, 1, 2}, ranks_.size());
  on_all_grids(spec_of(150, 16, mixed), [&](RunSpec spec) {
    spec.depth = depths.next();
    const std::vector<double> first = solve(spec, PipelineKind::Fine).x;
    for (const PipelineKind pipeline : {PipelineKind::Coarse, PipelineKind::Serial})
      EXPECT_EQ(solve(spec, pipeline).x, first) << spec.depth << ' ' << to_string(pipeline);
  });
}

/// Panels of more than one piece of their inverses.
TEST_F(Mixed, SolvesWithWidePanels) {
  const MixedSpec mixed{};
  const RunSpec wide = spec_of(230, 150, mixed);
  const std::vector<double> solution = reference(wide);
  on_all_grids(
      wide, [&](const RunSpec& spec) { expect_solved(spec, PipelineKind::Fine, solution, 150); });
}

/// The messages of a refinement between all ranks, by the formulas of the
/// notebook's scale.md.
class RefinementTraffic {
 public:
  RefinementTraffic(const RunSpec& spec, std::int64_t iterations, std::int64_t products)
      : order_(spec.order), p_(spec.grid_rows), q_(spec.grid_columns) {
    const std::int64_t steps = step_count(spec);
    messages = iterations * (2 * steps * (p_ - 1 + q_ - 1) + p_ * q_ * log2(q_)) +
               products * p_ * q_ * (log2(p_) + 2 * log2(q_)) + p_ * q_ * 2 * log2(q_);
    bytes = iterations * order_ * (24 * (q_ - 1) + 8 * (p_ - 1)) +
            products * order_ * (8 * (p_ - 1) + 16 * (q_ - 1)) + order_ * 16 * (q_ - 1);
  }

  std::int64_t messages = 0, bytes = 0;

 private:
  /// Rounded up.
  static std::int64_t log2(std::int64_t size) {
    return std::bit_width(static_cast<std::uint64_t>(size - 1));
  }

  std::int64_t order_, p_, q_;
};

TEST_F(Mixed, TheRefinementSendsTheMessagesOfItsFormulas) {
  for (const MixedSolver solver : {MixedSolver::Plain, MixedSolver::Gmres})
    on_all_grids(spec_of(131, 20, {.solver = solver}), [&](const RunSpec& spec) {
      const Outcome outcome = solve(spec, PipelineKind::Serial);
      const int iterations = outcome.refinement.iterations;
      // Behind its iterations GMRES makes the residual once. The norm of A is summed over rows too.
      const int products = iterations + (solver == MixedSolver::Gmres ? 1 : 0);
      const RefinementTraffic expected(spec, iterations, products);
      const auto& [messages, bytes] = outcome.refinement_messages;
      EXPECT_EQ(ranks_.all_reduce(messages, mpi::Reduce::Sum), expected.messages);
      EXPECT_EQ(ranks_.all_reduce(bytes, mpi::Reduce::Sum), expected.bytes);
    });
}

/// The arithmetic of another device. Notes the stream of each product of the solution by the
/// factors.
class NotedProducts final : public hpcx::MixedPrecision {
 public:
  explicit NotedProducts(hpcx::MixedPrecision& inner) : inner_(inner) {}

  void generate(hpcx::StreamRef stream, const hpcx::MixedPart& part, double factor,
                hpcx::MixedView tile) override {
    inner_.generate(stream, part, factor, tile);
  }
  void multiply(hpcx::StreamRef stream, const hpcx::MixedRowSums& y, const double* x) override {
    inner_.multiply(stream, y, x);
  }
  void row_sums(hpcx::StreamRef stream, const hpcx::MixedRowSums& sums, bool diagonal) override {
    inner_.row_sums(stream, sums, diagonal);
  }
  void convert(hpcx::StreamRef stream, hpcx::MixedView from, hpcx::MixedView to) override {
    inner_.convert(stream, from, to);
  }
  void gemm(hpcx::StreamRef stream, const hpcx::MixedProduct& product) override {
    inner_.gemm(stream, product);
  }
  void factorize_diagonal(hpcx::StreamRef stream, const hpcx::DiagonalBlock& all) override {
    inner_.factorize_diagonal(stream, all);
  }
  void solve(hpcx::StreamRef stream, hpcx::Triangle triangle, hpcx::MixedView t,
             float* x) override {
    inner_.solve(stream, triangle, t, x);
  }
  void gemv(hpcx::StreamRef stream, const hpcx::MixedVectorProduct& product) override {
    elements_[&stream.state()] += product.a.rows * product.a.cols;
    inner_.gemv(stream, product);
  }

  std::int64_t elements(hpcx::StreamRef stream) { return elements_[&stream.state()]; }

 private:
  hpcx::MixedPrecision& inner_;
  std::map<hpcx::StreamState*, std::int64_t> elements_;
};

class NotingDevice final : public test::ForwardingDevice {
 public:
  explicit NotingDevice(hpcx::Device& device)
      : ForwardingDevice(device), products(*device.mixed_precision()) {}
  hpcx::MixedPrecision* mixed_precision() override { return &products; }

  NotedProducts products;
};

/// Products that the next step does not wait for are in a stream of their own, if other process
/// columns have steps before the next one here.
TEST_F(Mixed, ProcessColumnsSolveBesideEachOther) {
  on_all_grids(spec_of(320, 10, {}), [&](const RunSpec& spec) {
    NotingDevice device(*device_);
    const MixedSystem system(device, ranks_, spec);
    const MixedFactors factors(system);
    std::vector<double> x(system.right_side().size());
    factors.solve(std::vector<float>(32, 1.0F), system.right_side(), x);
    const auto soon = ranks_.all_reduce(device.products.elements(system.streams.panel),
                                        mpi::Reduce::Sum),
               later = ranks_.all_reduce(device.products.elements(system.streams.update),
                                         mpi::Reduce::Sum);
    // Both triangles, without their diagonal blocks.
    EXPECT_EQ(soon + later, 320 * 310);
    if (spec.grid_columns == 1) {
      EXPECT_EQ(later, 0);
    } else {
      // A step waits for at most the blocks of the steps before the next one here.
      EXPECT_LE(soon, 2 * 320 * (spec.grid_columns - 1) * 10);
      EXPECT_GT(later, soon);
    }
  });
}

TEST_F(Mixed, AllocatesTheMemoryOfItsAccount) {
  for (const MixedSolver solver : {MixedSolver::Plain, MixedSolver::Gmres})
    for (const bool shared : {true, false})
      on_all_grids(spec_of(131, 20, {.solver = solver}), [&](const RunSpec& spec) {
        test::CountingDevice counting(*device_, shared);
        const Outcome outcome = solve(counting, spec, PipelineKind::Coarse);
        EXPECT_TRUE(outcome.residual.passed);
        const MemoryAccount account =
            MixedFactorization::memory(outcome.shape, *spec.mixed, outcome.settings, shared);
        EXPECT_EQ(counting.most(), account.allocated());
      });
}

TEST_F(Mixed, AZeroPivotEndsWithItsColumn) {
  const MixedSpec mixed{.operands = Precision::Fp32, .storage = Precision::Fp32};
  test::InTurn<std::int64_t> columns({0, 37, 89}, ranks_.size());
  on_all_grids(spec_of(90, 16, mixed), [&](const RunSpec& spec) {
    const std::int64_t column = columns.next();
    EXPECT_EQ(solve(spec, PipelineKind::Fine, 40, column).zero_column, column);
  });
}

TEST_F(Mixed, SolvesTheSmallestSystemsOfEveryMatrix) {
  for (const auto& choice : kMixedEntries) {
    for (std::int64_t order = least_order(choice.value); order <= 8; ++order) {
      constexpr std::array kFormats{Precision::Fp32, Precision::Fp16, Precision::Bf16};
      const Precision precision = kFormats[static_cast<std::size_t>(order) % kFormats.size()];
      const RunSpec spec = spec_of(
          order, 3,
          {.entries = choice.value,
           .operands = precision,
           .storage = precision,
           .solver = precision == Precision::Fp16 ? MixedSolver::Plain : MixedSolver::Gmres});
      const Outcome outcome = solve(on_grid(spec, grids_.next()), PipelineKind::Coarse);
      const std::string what = to_string(*spec.mixed) + ", N " + std::to_string(order);
      EXPECT_FALSE(outcome.zero_column) << what;
      EXPECT_TRUE(outcome.refinement.converged) << what;
      EXPECT_TRUE(outcome.residual.passed) << what << ": " << outcome.residual.scaled;
      EXPECT_LT(test::relative_distance(outcome.x, reference(spec)), 1e-10) << what;
    }
    grids_.next();  // another order on each grid
  }
}

/// Columns of such a matrix add up to zero with some signs.
TEST_F(Mixed, HasSingularMatricesBelowTheLeastOrder) {
  for (const auto& choice : kMixedEntries)
    for (std::int64_t order = 1; order < least_order(choice.value); ++order) {
      RunSpec spec = spec_of(order, 3, {.entries = choice.value});
      spec.grid_rows = ranks_.size();
      const MixedSystem system(*device_, ranks_, spec);
      double least = 1;
      for (unsigned signs = 0; signs < 1U << order; ++signs) {
        std::vector<double> x(static_cast<std::size_t>(order));
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] = (signs >> i & 1) != 0 ? 1 : -1;
        least = std::min(least, largest_magnitude(product(system, x)));
      }
      EXPECT_LT(least, 1e-15) << choice.name << ' ' << order;
    }
}

}  // namespace
}  // namespace hpl
