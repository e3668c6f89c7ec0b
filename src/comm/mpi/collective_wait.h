#pragma once

#include <chrono>

#include "hpl/comm/mpi/wait_policy.h"

namespace hpl::mpi {

/// The wait of collectives outside of the workers. Its spin is long enough if all ranks are there,
/// and short against any phase of a run.
inline constexpr WaitPolicy kCollectiveWait{.spin = std::chrono::milliseconds(1)};

}  // namespace hpl::mpi
