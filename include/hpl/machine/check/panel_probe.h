#pragma once

#include <cstdint>

#include "hpcx/device.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// Seconds that `host` takes to factorize a panel of a matrix on `device`, of so many rows and NB
/// columns of random values, in the shape (PFACT, RFACT, NBMIN, NDIV) of `shape`; the best of so
/// many times. The panel's way between the two does not count.
double host_panel_seconds(hpcx::Device& device, hpcx::Device& host, std::int64_t rows,
                          const RunSpec& shape, int times);

}  // namespace hpl
