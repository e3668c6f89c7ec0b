#pragma once

#include "hpl/check/probes/line_exchange.h"
#include "hpl/machine/model/rates.h"
#include "rate_tables.h"

namespace hpl {

/// Measures the shares of their rates that messages along the process row and an exchange along the
/// process column keep beside each other: 1/2 each if both at once take as long as one after the
/// other. Fills in `shared`, with the same values on all ranks. Collective, in about a second.
void measure_message_shares(const RateTables& tables, const LineExchange& row,
                            const LineExchange& column, SharedRates& shared);

}  // namespace hpl
