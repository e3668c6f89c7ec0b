#pragma once

#include <cstdint>
#include <memory>

#include "measure_rates.h"
#include "rate_probes.h"
#include "rate_tables.h"

namespace hpl {

/// Measures panels, solves, conversions and the refinement of HPL-MxP. Collective.
void measure_mixed_rates(const RateTables& tables, const RateSetup& setup, Rates& rates);

/// A panel of HPL-MxP: the factors and inverses of its diagonal block, and L21.
std::unique_ptr<PanelTrial> make_mixed_panel_trial(hpcx::Device& device, const MixedSpec& mixed,
                                                   std::int64_t rows, std::int64_t width);
/// U12 of HPL-MxP.
std::unique_ptr<WorkTrial> make_mixed_solve_trial(hpcx::Device& device, const MixedSpec& mixed,
                                                  std::int64_t width, std::int64_t columns);
/// Columns of the matrix in the format of products.
std::unique_ptr<WorkTrial> make_conversion_trial(hpcx::Device& device, const MixedSpec& mixed,
                                                 std::int64_t rows, std::int64_t width);

}  // namespace hpl
