#pragma once

#include "hpl/lu/update/product_trial.h"
#include "measure_rates.h"
#include "rate_tables.h"

namespace hpl {

/// Of a product of the tail with values as in a run.
ProductTrial make_product_trial(const RateSetup& setup, const ProductShape& shape);

/// Measures products of the tail. Fills in all that `rates`, which describes the machine, holds of
/// products alone, of ranks that differ and of power. Collective.
void measure_product_rates(const RateTables& tables, const RateSetup& setup, Rates& rates);

}  // namespace hpl
