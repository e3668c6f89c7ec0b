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
  double seconds = 60;            ///< that all parts together may take, about
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

/// Products on the host (device: on the device), rung by rung, FP64 and FP32.
DeepResult measure_host_products(const DeepSetup& setup);
DeepResult measure_device_products(const DeepSetup& setup);
/// Products of matrices in host memory, in strips that go through several streams.
DeepResult measure_streams(const DeepSetup& setup);
/// Copies between host and device: one rank of a node after the other, then all at once; one way,
/// then both ways at once.
DeepResult measure_copies(const DeepSetup& setup);
/// Latency of the host's memory by the size that is chased through, and the caches that it shows.
DeepResult measure_latency(const DeepSetup& setup);
/// R of tall and narrow matrices by TSQR, on the host and on the device.
DeepResult measure_tall_skinny(const DeepSetup& setup);
/// Measures the time of a start: context, code, allocations, first touch of host memory.
DeepResult measure_starts(const DeepSetup& setup);

}  // namespace hpl
