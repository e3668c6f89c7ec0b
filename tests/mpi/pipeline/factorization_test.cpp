#include "hpl/lu/pipeline/factorization_stages.h"

#include <cstdint>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/input/run_spec/field_rules.h"
#include "support/counting_device.h"
#include "support/cpu_device.h"
#include "support/golden.h"
#include "support/peer_device.h"
#include "support/reference_lu.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

using test::RunOutcome;
using test::RunSetup;

/// Rounding differs from variant to variant; the systems' condition numbers are below 1e5.
constexpr double kRounding = 1e-10;

constexpr PipelineKind kPipelines[] = {PipelineKind::Coarse, PipelineKind::Fine};

class Factorization : public testing::Test {
 protected:
  /// Calls check(spec) for all grids of the job's ranks.
  template <class Check>
  void for_all_grids(RunSpec spec, Check check) const {
    for (const auto& [rows, columns] : test::grids_of(ranks_.size())) {
      spec.grid_rows = rows;
      spec.grid_columns = columns;
      check(spec);
    }
  }

  /// The spec on the next of these grids.
  RunSpec on_next_grid(RunSpec spec) {
    const test::GridShape grid = grids_.next();
    spec.grid_rows = grid.rows;
    spec.grid_columns = grid.columns;
    return spec;
  }

  RunOutcome expect_solved(const RunSpec& spec, const RunSetup& setup) {
    std::vector<double>& solution = solutions_[spec.order];
    if (solution.empty()) solution = test::reference_solution(spec.order);
    return expect_solved(spec, setup, solution);
  }
  void solve_on_next_grid(const RunSpec& spec, const RunSetup& setup) {
    expect_solved(on_next_grid(spec), setup);
  }
  RunOutcome expect_solved(const RunSpec& spec, const RunSetup& setup,
                           const std::vector<double>& solution) const {
    const RunOutcome outcome = test::run_whole(*device_, ranks_, spec, setup);
    std::ostringstream what;
    what << variant_code(spec) << " N " << spec.order << " NB " << spec.block_size << " grid "
         << spec.grid_rows << " x " << spec.grid_columns << " swap " << to_string(spec.swap) << ' '
         << to_string(setup.pipeline);
    EXPECT_FALSE(outcome.zero_column) << what.str();
    EXPECT_FALSE(outcome.fault) << what.str();
    EXPECT_TRUE(outcome.residual.passed) << what.str() << ": " << outcome.residual.scaled;
    EXPECT_LT(test::relative_distance(outcome.x, solution), kRounding) << what.str();
    std::vector<std::int64_t> in_order(
        static_cast<std::size_t>((spec.order + spec.block_size - 1) / spec.block_size));
    std::iota(in_order.begin(), in_order.end(), 0);
    EXPECT_EQ(outcome.steps, in_order) << what.str();
    return outcome;
  }

  mpi::Communicator ranks_ = mpi::Communicator::world();
  test::GridsInTurn grids_{ranks_.size()};
  std::map<std::int64_t, std::vector<double>> solutions_;  // by order
  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(2);
};

TEST_F(Factorization, GivesNetlibsSolution) {
  const std::vector<double> golden = test::golden_solution("solution_N100.csv");
  ASSERT_EQ(golden.size(), 100u);
  for (const PipelineKind pipeline : kPipelines)
    for_all_grids({.order = 100, .block_size = 12}, [&](const RunSpec& spec) {
      expect_solved(spec, {.pipeline = pipeline}, golden);
    });
}

/// Orders at which parts, panels or chunks become empty or partial.
TEST_F(Factorization, SolvesOrdersThatLeavePartsEmpty) {
  int depth = 0;
  for (const auto& [order, block] : {std::pair<std::int64_t, std::int64_t>{0, 4},
                                     {1, 1},
                                     {1, 8},
                                     {2, 1},
                                     {5, 8},
                                     {17, 1},
                                     {15, 16},
                                     {16, 16},
                                     {17, 16},
                                     {32, 8},
                                     {33, 32},
                                     {48, 20}})
    for (const PipelineKind pipeline : kPipelines)
      for_all_grids({.order = order, .block_size = block}, [&](RunSpec spec) {
        // Square-like grids are left to the fine pipeline: it has more to get wrong.
        const bool square = spec.grid_rows > 1 && spec.grid_columns > 1;
        if (pipeline == PipelineKind::Coarse && square) return;
        spec.depth = depth = 1 - depth;
        expect_solved(spec, {.pipeline = pipeline});
      });
}

TEST_F(Factorization, GivesTheSameBitsByEveryPipeline) {
  const auto single = test::open_cpu(1);
  // With one thread or two.
  test::InTurn<hpcx::Device*> devices({single.get(), device_.get()}, ranks_.size());
  test::InTurn<int> depths({0, 1, 2}, ranks_.size());
  for_all_grids({.order = 75, .block_size = 8}, [&](RunSpec spec) {
    spec.depth = depths.next();
    const std::vector<double> fine = test::run_whole(*device_, ranks_, spec, {}).x;
    for (const PipelineKind pipeline :
         {PipelineKind::Fine, PipelineKind::Coarse, PipelineKind::Serial})
      EXPECT_EQ(test::run_whole(*devices.next(), ranks_, spec, {.pipeline = pipeline}).x, fine)
          << to_string(pipeline) << ' ' << spec.depth;
  });
}

TEST_F(Factorization, GivesTheSameSolutionThroughPiecesOfHostMemory) {
  test::InTurn<SwapVariant> swaps({SwapVariant::BinaryExchange, SwapVariant::SpreadRoll},
                                  ranks_.size());
  for (const PipelineKind pipeline : kPipelines) {
    for_all_grids({.order = 90, .block_size = 8}, [&](RunSpec spec) {
      spec.swap = swaps.next();
      expect_solved(spec, {.pipeline = pipeline,
                           .transport = TransportKind::MpiHost,
                           .piece_bytes = 5 * exchange_column_bytes(spec.block_size)});
    });
    if (test::grids_of(ranks_.size()).size() % 2 == 0) swaps.next();
  }
}

TEST_F(Factorization, GivesTheSameBitsOutOfMappedMemory) {
  // A wait for another process occupies a thread: those of panel and swap, and threads to compute.
  const auto cpu = test::open_cpu(4);
  test::PeerDevice device(*cpu);
  const auto host = test::open_cpu(1);
  int depth = 2;
  for (const PipelineKind pipeline :
       {PipelineKind::Fine, PipelineKind::Fine, PipelineKind::Coarse}) {
    const RunSpec spec = on_next_grid({.order = 50, .block_size = 8, .depth = depth--});
    RunSetup setup{.pipeline = pipeline};
    const std::vector<double> plain = test::run_whole(*device_, ranks_, spec, setup).x;
    setup.host_device = host.get();
    setup.transport = TransportKind::Peer;
    EXPECT_EQ(test::run_whole(device, ranks_, spec, setup).x, plain)
        << to_string(pipeline) << ' ' << spec.grid_rows << " x " << spec.grid_columns;
  }
}

TEST_F(Factorization, GivesTheSameSolutionWithEveryBroadcastAndLookAhead) {
  for (const PipelineKind pipeline : kPipelines)
    for (const BroadcastVariant broadcast : choice_values(kBroadcastVariants))
      for (const int depth : {0, 1, 2, 3}) {
        const auto [rows, columns] = grids_.next_with_broadcast();
        expect_solved({.order = 70,
                       .block_size = 12,
                       .grid_rows = rows,
                       .grid_columns = columns,
                       .depth = depth,
                       .broadcast = broadcast},
                      {.pipeline = pipeline});
      }
}

TEST_F(Factorization, GivesTheSameSolutionWithEveryRowExchangeAndStorage) {
  int turn = 0;
  for (const PipelineKind pipeline : kPipelines)
    for (const SwapVariant swap :
         {SwapVariant::BinaryExchange, SwapVariant::SpreadRoll, SwapVariant::Mix})
      for (const bool transposed_l1 : {false, true})
        for (const bool transposed_u : {false, true}) {
          solve_on_next_grid({.order = 65,
                              .block_size = 9,
                              .depth = turn++ % 5 == 0 ? 0 : 1,
                              .swap = swap,
                              .swap_threshold = 10,
                              .transposed_l1 = transposed_l1,
                              .transposed_u = transposed_u,
                              .equilibrate = turn % 3 == 0},
                             {.pipeline = pipeline});
        }
}

TEST_F(Factorization, GivesTheSameSolutionWithEveryPanelSweep) {
  for (const PanelVariant recursive :
       {PanelVariant::Left, PanelVariant::Crout, PanelVariant::Right})
    for (const PanelVariant leaf : {PanelVariant::Left, PanelVariant::Crout, PanelVariant::Right}) {
      solve_on_next_grid(
          {.order = 60, .block_size = 20, .recursive_variant = recursive, .panel_variant = leaf},
          {});
    }
}

TEST_F(Factorization, GivesTheSameSolutionHoweverTheTailIsCut) {
  for (const PipelineKind pipeline : kPipelines)
    for (const std::int64_t chunk : {1, 16, 4096}) {
      solve_on_next_grid({.order = 90, .block_size = 8},
                         {.pipeline = pipeline, .chunk_columns = chunk});
    }
}

TEST_F(Factorization, GivesTheSameSolutionWithColumnsInHostMemory) {
  test::InTurn<int> depths({0, 1, 3}, ranks_.size());
  int turn = 0;
  for (const PipelineKind pipeline : kPipelines)
    for (const int steps : {1, 2, 3, 5})
      for (const std::int64_t resident : {0, 40}) {
        const int depth = depths.next();
        // The schedule is the same: some of each will do.
        if (pipeline == PipelineKind::Coarse && turn++ % 3 != 0) continue;
        solve_on_next_grid({.order = 130, .block_size = 8, .depth = depth, .checksums = steps == 3},
                           {.pipeline = pipeline,
                            .chunk_columns = 16,
                            .solve_rows = steps == 2 ? 4 : 0,
                            .visits = {resident, steps, steps == 3 ? 4 : 0}});
      }
}

TEST_F(Factorization, GivesTheSameSolutionWhereHostAndDeviceSubstituteBackTogether) {
  for (const VisitPolicy& visits : {VisitPolicy{0, 2}, {40, 3, 4}, {88, 1, 1}})
    for (const std::optional<double> share : {std::optional<double>(), {0.0}, {0.4}, {1.0}}) {
      RunSpec spec = on_next_grid({.order = 130, .block_size = 8});
      // Neighbouring block columns on one process as well.
      if (share == 0.4 && spec.grid_columns > 1) {
        spec.column_weights.assign(static_cast<std::size_t>(spec.grid_columns), 1);
        spec.column_weights.front() = 3;
      }
      RunSetup setup{.pipeline = PipelineKind::Serial, .chunk_columns = 16, .visits = visits};
      setup.substitution = {.over_link = true, .link_share = share};
      const RunOutcome outcome = expect_solved(spec, setup);
      if (share == 0.4) {
        EXPECT_EQ(test::run_whole(*device_, ranks_, spec, setup).x, outcome.x);
      }
    }
}

TEST_F(Factorization, GivesTheSameSolutionWhereTheHostTakesPart) {
  const auto host = test::open_cpu(1);
  for (const PipelineKind pipeline : kPipelines)
    for (const HostShare share : {HostShare{0.3, false}, {1, false}, {0.1, ranks_.size() == 1}})
      for (const int steps : {1, 3}) {
        if (pipeline == PipelineKind::Coarse && share.first != 0.3) continue;
        const RunSpec spec = on_next_grid({.order = 240,
                                           .block_size = share.first < 1 ? 40 : 20,
                                           .depth = steps == 1 ? 2 : 1,
                                           .swap = SwapVariant::Mix,
                                           .swap_threshold = 40,
                                           .transposed_u = steps == 1});
        // On one device with the host, or on one that takes its memory for its own.
        test::CountingDevice apart(*device_, false);
        const bool own_memory = (steps == 1) == (share.first == 0.3);
        RunSetup setup{.pipeline = pipeline,
                       .visits = {0, steps},
                       .host_share = share,
                       .factorizing_device = own_memory ? &apart : device_.get(),
                       .transport = TransportKind::MpiDevice};
        if (own_memory) setup.host_device = host.get();
        const RunOutcome outcome = expect_solved(spec, setup);
        ASSERT_TRUE(outcome.host_work);
        if (share.first >= 0.3 && spec.grid_columns == 1) {
          EXPECT_GT(outcome.host_work->work, 0) << steps;
        }
      }
}

TEST_F(Factorization, GivesTheSameBitsWithColumnsInHostMemory) {
  // For columns that are cut alike: the same products in the same order.
  test::InTurn<int> steps({1, 2, 4}, ranks_.size());
  for_all_grids({.order = 120, .block_size = 8}, [&](const RunSpec& spec) {
    RunSetup setup{.chunk_columns = 8};
    const RunOutcome resident = test::run_whole(*device_, ranks_, spec, setup);
    setup.visits = {24, steps.next()};
    const RunOutcome visited = test::run_whole(*device_, ranks_, spec, setup);
    EXPECT_EQ(visited.x, resident.x) << setup.visits.steps;
    const Residual &norms = visited.residual, &expected = resident.residual;
    EXPECT_DOUBLE_EQ(norms.matrix_infinity, expected.matrix_infinity);
    EXPECT_DOUBLE_EQ(norms.matrix_one, expected.matrix_one);
    EXPECT_EQ(norms.right_side_infinity, expected.right_side_infinity);
  });
}

TEST_F(Factorization, GivesTheSameBitsHoweverMuchOfTheHostMemoryIsPinned) {
  for (const PipelineKind pipeline :
       {PipelineKind::Coarse, PipelineKind::Fine, PipelineKind::Serial}) {
    const RunSpec spec = on_next_grid({.order = 120, .block_size = 8});
    RunSetup setup{.pipeline = pipeline, .chunk_columns = 8, .visits = {24, 2}};
    const RunOutcome pinned = test::run_whole(*device_, ranks_, spec, setup);
    EXPECT_TRUE(pinned.residual.passed);
    for (const std::size_t most : {0, 20000}) {
      setup.host_memory = {.piece_bytes = 8192, .most_pinned = most, .staging_bytes = 2000};
      EXPECT_EQ(test::run_whole(*device_, ranks_, spec, setup).x, pinned.x) << most;
    }
  }
}

TEST_F(Factorization, GivesTheSameSolutionWithTheInverseOfTheDiagonalBlock) {
  for (const std::int64_t solve_rows : {1, 5, 96})
    for (const bool transposed_l1 : {false, true})
      for (const bool transposed_u : {false, true}) {
        solve_on_next_grid({.order = 70,
                            .block_size = 16,
                            .transposed_l1 = transposed_l1,
                            .transposed_u = transposed_u},
                           {.solve_rows = solve_rows});
      }
}

TEST_F(Factorization, GivesTheSameSolutionWithRanksLaidOutByColumns) {
  for_all_grids({.order = 50, .block_size = 6, .rank_order = RankOrder::ColumnMajor},
                [&](const RunSpec& spec) { expect_solved(spec, {}); });
}

TEST_F(Factorization, GivesTheSameSolutionWithBlocksDistributedByWeights) {
  for (const PipelineKind pipeline : kPipelines)
    for (const bool checksums : {false, true})
      for_all_grids({.order = 90, .block_size = 8, .checksums = checksums}, [&](RunSpec spec) {
        for (int column = 0; column < spec.grid_columns; ++column)
          spec.column_weights.push_back(1.0 + 0.4 * column);
        for (int row = 0; row < spec.grid_rows; ++row)
          spec.row_weights.push_back(1.5 - 0.2 * row);
        expect_solved(spec, {.pipeline = pipeline, .chunk_columns = 24});
      });
}

}  // namespace
}  // namespace hpl
