#pragma once

#include "measure_rates.h"
#include "rate_tables.h"

namespace hpl {

/// Measures products of the tail. Fills in all that `rates`, which describes the machine, holds of
/// products alone, of ranks that differ and of power. Collective.
void measure_product_rates(const RateTables& tables, const RateSetup& setup, Rates& rates);

}  // namespace hpl
