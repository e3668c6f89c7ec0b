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

// Each sheet is tried with three of the counts, which takes seconds; all of them take minutes.
TEST(GridRule, IsWithinThreePercentOfTheModelsBestOnEverySheet) {
  const std::vector<int> counts{16, 64, 251, 512, 1024, 4096, 16384};
  std::size_t turn = 0;
  for (const MachineSheet& sheet : known_machines()) {
    const Rates rates = rates_of(sheet);
    for (int i = 0; i < 3; ++i) {
      const int ranks = counts[turn++ % counts.size()];
      const auto gflops = [&](GridShape grid) {
        const RunSpec spec = largest_on(grid, rates, 2048);
        return predict(ModelKind::Sampled, decided_run(spec, rates), rates).gflops;
      };
      double best = 0;
      for (const GridShape grid : possible_grids(ranks))
        if (grid.columns <= 8 * grid.rows) best = std::max(best, gflops(grid));
      const GridShape chosen =
          choose_grid_of_most(ranks, rates.kind, nodes_of(ranks, rates.ranks_per_node));
      EXPECT_GE(gflops(chosen), 0.97 * best)
          << sheet.name << ": " << ranks << " ranks as " << chosen.rows << " x " << chosen.columns;
    }
  }
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
