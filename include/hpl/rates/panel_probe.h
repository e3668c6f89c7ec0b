#pragma once

#include "hpcx/device.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// Seconds that `host` takes to factorize a panel of a matrix on `device`: the best of `times`. The
/// panel has `panel.order` rows and NB columns of random values; PFACT, RFACT, NBMIN and NDIV give
/// its shape. Its way between the two does not count.
double host_panel_seconds(hpcx::Device& device, hpcx::Device& host, const RunSpec& panel,
                          int times);

}  // namespace hpl
