#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "hpcx/matrix_view.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/panel/pivot_exchange.h"

namespace hpl {

/// The sweep over the columns of a panel (HPL.dat RFACT, NDIV, NBMIN, PFACT).
struct PanelSweep {
  PanelVariant recursive_variant = PanelVariant::Right;
  int recursion_divisor = 2;
  int recursion_stop = 4;
  PanelVariant panel_variant = PanelVariant::Right;
};

/// Threads that a panel may use besides the one that calls.
struct PanelTeam {
  int threads = 1;
  /// Runs body(0 .. count-1), see hpcx::Device::parallel_for.
  std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& body)> run;
};

/// One panel in host memory, as PanelLayout describes it.
struct HostPanelProblem {
  hpcx::MatrixView x;  ///< ColumnMajor, (width + below_stored) x width
  StepGeometry geometry;
  RowMap rows;
  std::span<std::int64_t> pivots;  ///< out: global row exchanged with row first + c at column c
  std::int64_t* zero_column;       ///< out: first global column without a pivot, -1 if none
};

/// Factorizes the panel with partial pivoting, exchanging pivots over the process column through
/// `exchange` (null: there is one process row). Recursive in columns: RFACT and NDIV split it down
/// to NBMIN columns, PFACT sweeps these one by one. A column whose pivot is zero or NaN is left
/// undivided. Collective over the process column when `exchange` is given. Seconds spent in
/// exchanges are added to *exchange_seconds.
void factorize_panel(const HostPanelProblem& problem, const PanelSweep& sweep,
                     const PanelTeam& team, PivotExchange* exchange, double* exchange_seconds);

}  // namespace hpl
