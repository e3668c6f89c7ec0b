#pragma once

#include <cstdint>

#include "hpcx/device.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// Seconds that the host takes to factorize a panel of so many rows and NB columns, of random
/// values, in the shape (PFACT, RFACT, NBMIN, NDIV) of `shape`; the best of so many times.
double host_panel_seconds(hpcx::Device& host, std::int64_t rows, const RunSpec& shape, int times);

}  // namespace hpl
