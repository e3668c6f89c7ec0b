#pragma once

#include "hpl/lu/grid/process_grid.h"
#include "measure_rates.h"
#include "rate_tables.h"

namespace hpl {

/// Measures the shares of their rates that products of the tail and the other work of a step keep
/// beside each other. Fills in rates.shared and the shares of the panels that `rates` has.
/// Collective.
void measure_beside_products(const RateTables& tables, const RateSetup& setup,
                             const ProcessGrid& grid, Rates& rates);

}  // namespace hpl
