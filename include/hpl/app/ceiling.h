#pragma once

#include <cstdint>
#include <vector>

#include "hpcx/device.h"
#include "hpl/mpi/communicator.h"

namespace hpl {

/// Runs of smaller orders are over before warming up and measuring a ceiling are: they do without.
inline constexpr std::int64_t kLeastWorthMeasuring = 1000;

/// DGEMM rate of all ranks of `comm` together, measured on all at the same time in the form of the
/// tail update: C (row-major) -= A B with A `depth` columns, for about `seconds`. The matrices take
/// at most `bytes` a rank. Gflop/s by rank, on every rank. Collective.
std::vector<double> measure_ceiling(hpcx::Device& device, const mpi::Communicator& comm,
                                    std::int64_t depth, double seconds, std::int64_t bytes);

}  // namespace hpl
