#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/panel/device_panel.h"
#include "hpl/machine/decide/run_memory.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/machine/model/search.h"

namespace hpl {
namespace {

RunSpec largest_on(GridShape grid, const Rates& rates, std::int64_t block_size) {
  RunSpec spec;
  spec.block_size = block_size;
  spec.grid_rows = grid.rows;
  spec.grid_columns = grid.columns;
  spec.order = largest_order(spec, rates, 0.9);
  return spec;
}

int nodes_of(int ranks, int per_node) {
  return (ranks + per_node - 1) / per_node;
}

/// The grids of all ranks with P <= Q, and of fewer ranks where all of them form a flat one.
std::vector<GridShape> all_grids(int ranks) {
  std::vector<GridShape> grids = grids_of_fewer(ranks);
  for (int rows = 1; rows <= ranks / rows; ++rows)
    if (ranks % rows == 0) grids.push_back({rows, ranks / rows});
  return grids;
}

void expect_the_best_grid(const MachineSheet& sheet, int ranks) {
  const Rates rates = rates_of(sheet);
  const auto gflops = [&](GridShape grid) {
    const RunSpec spec = largest_on(grid, rates, 2048);
    return predict(ModelKind::Sampled, decided_run(spec, rates), rates).gflops;
  };
  const RunSpec chosen = best_configuration({.block_sizes = {2048}, .ranks = ranks}, rates).spec;
  const double reached = gflops({chosen.grid_rows, chosen.grid_columns});
  for (const GridShape grid : all_grids(ranks))
    EXPECT_GE(reached, 0.99 * gflops(grid))
        << sheet.name << ": " << ranks << " ranks as " << chosen.grid_rows << " x "
        << chosen.grid_columns << ", not as " << grid.rows << " x " << grid.columns;
}

// Each sheet is tried with one of the large counts, which takes seconds; all of them take minutes.
TEST(GridRule, IsWithinOnePercentOfTheModelsBestOnEverySheet) {
  const std::vector<int> large{251, 512, 1024, 4096, 16384};
  std::size_t turn = 0;
  for (const MachineSheet& sheet : known_machines()) {
    for (const int ranks : {4, 8, 26, 64})
      expect_the_best_grid(sheet, ranks);
    expect_the_best_grid(sheet, large[turn++ % large.size()]);
  }
}

TEST(GridRule, KeepsTheGridOfTheClosedRuleUnlessAnotherGainsOnePercent) {
  std::size_t kept = 0;
  for (const MachineSheet& sheet : known_machines()) {
    const Rates rates = rates_of(sheet);
    const auto gflops = [&](GridShape grid) {
      const RunSpec spec = largest_on(grid, rates, 2048);
      return predict(ModelKind::Sampled, decided_run(spec, rates), rates).gflops;
    };
    const GridShape rule = choose_grid_of_most(64, rates.kind, nodes_of(64, rates.ranks_per_node));
    const RunSpec spec = best_configuration({.block_sizes = {2048}, .ranks = 64}, rates).spec;
    const GridShape chosen{spec.grid_rows, spec.grid_columns};
    if (chosen == rule)
      ++kept;
    else
      EXPECT_GT(gflops(chosen), 1.01 * gflops(rule)) << sheet.name;
  }
  EXPECT_GT(kept, known_machines().size() / 2);
}

/// The rows of the tallest panel that any rank of the first process column gets.
std::int64_t tallest_panel(const RunSpec& spec) {
  std::int64_t rows = 0;
  for (int row = 0; row < spec.grid_rows; ++row)
    rows = std::max(rows, local_shape(spec, {row, 0}).stored_rows);
  return rows + spec.block_size;
}

TEST(GridRule, LeadsToPlansThatTheRunCanCarryOut) {
  for (MachineSheet sheet : known_machines())
    for (const int per_node : {1, 2, 3, 4, 6, 8}) {
      sheet.accelerators_per_node = per_node;
      const Rates rates = rates_of(sheet);
      const Facts facts = facts_of(rates);
      for (const int ranks : {1, 2, 3, 7, 8, 13, 64, 96, 251, 1024, 8192, 16384}) {
        const int nodes = nodes_of(ranks, rates.ranks_per_node);
        const RunSpec spec = largest_on(choose_grid_of_most(ranks, rates.kind, nodes), rates, 2048);
        SCOPED_TRACE(testing::Message() << sheet.name << ", " << ranks << " ranks on " << nodes);
        ASSERT_GT(spec.order, 0);
        const RunSettings settings = decide(spec, facts, {});
        EXPECT_NO_THROW(check_memory(spec, settings, facts, {}));
        EXPECT_EQ(settings.stages.device_panel, rates.device_panel.has_value());
        if (!settings.stages.device_panel) continue;
        // As the run makes its panels.
        const PanelUnits units =
            panel_units(spec, rates.multiprocessors, settings.stages.panel_compute_units);
        EXPECT_EQ(units.lack, "");
        EXPECT_EQ(units.narrow, settings.stages.panel_compute_units);
        for (const int of_panel : {units.narrow, units.wide})
          EXPECT_TRUE(of_panel == 0 || hpcx::panel_units_for(tallest_panel(spec)) <= of_panel);
      }
    }
}

}  // namespace
}  // namespace hpl
