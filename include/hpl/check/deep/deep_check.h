#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpl/check/deep/deep_figure.h"
#include "hpl/comm/mpi/communicator.h"

namespace hpl {

/// The means of the deep check.
struct DeepSetup {
  hpcx::Device& device;
  hpcx::Device& host;  ///< the device itself where that is the CPU
  const mpi::Communicator& world;
  const mpi::Communicator& node;  ///< the ranks of this host
  double seconds = 10;            ///< that the copies may take, about
  std::int64_t memory_bytes = 0;  ///< that a rank may take, where its matrix lies
};

/// The result of a part.
struct DeepResult {
  std::vector<DeepFigure> figures;
  std::string skipped;  ///< why there was nothing to measure; else empty
  std::string failed;   ///< why it was not measured to its end; else empty
};

// The parts. Each is collective over the world: all ranks measure the same at the same time, of the
// same size. What fails on a rank is told in its result and does not keep the others waiting.

/// Copies between host and device: one rank of a node after the other, then all at once; one way,
/// then both ways at once.
DeepResult measure_copies(const DeepSetup& setup);
/// Measures the time of a start: context, code, allocations, first touch of host memory.
DeepResult measure_starts(const DeepSetup& setup);

}  // namespace hpl
