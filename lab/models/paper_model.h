#pragma once

#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/grid/grid_shape.h"
#include "hpl/machine/model/rates.h"

namespace hpl::models {

/// Coefficients that the text of the paper leaves open in its equations.
struct PaperCoefficients {
  /// f_fact: operations of a panel in units of mp NB^2. Leading order of an mp x NB factorization.
  double factorization = 1;
  /// Times that a panel passes a link, per hop of ceil(log2 Q).
  double broadcast = 1;
  /// c of (4): 2 (binary exchange) or 3 (spread-roll), as netlib's scalability page has them.
  double swap = 3;
  /// E_dtrsm as a share of E_dgemm; 0: the measured rate of the solve.
  double solve_share = 0;
};

/// Seconds of a run. Nothing overlaps.
struct PaperSeconds {
  double factorization = 0, broadcast = 0, swap = 0, product = 0, solve = 0;

  double sum() const { return factorization + broadcast + swap + product + solve; }
};

/// Equations (2) to (5) of Shui, Yu, Wang and Tan for a run of HPL. `tile`: the part of the grid on
/// one node. Throws ConfigError for a run of HPL-MxP.
PaperSeconds paper_seconds(const RunSpec& spec, GridShape tile, const Rates& rates,
                           const PaperCoefficients& open = {});

}  // namespace hpl::models
