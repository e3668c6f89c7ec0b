#pragma once

#include "cpu/scheduler.h"
#include "hpcx/device.h"
#include "hpcx/emulation.h"
#include "hpcx/mixed.h"

namespace hpcx::cpu {

/// Enqueues `body(0) ... body(blocks - 1)` in a stream of the CPU device.
void launch(StreamRef stream, std::int64_t blocks, std::function<void(std::int64_t)> body);
/// Compute threads that serve the stream.
int thread_count(StreamRef stream);

std::unique_ptr<Blas> make_blas();
std::unique_ptr<Emulation> make_emulation(ResidueElement element);
std::unique_ptr<Interconnect> make_interconnect();
std::unique_ptr<Kernels> make_kernels();
std::unique_ptr<MixedPrecision> make_mixed_precision();
std::unique_ptr<Telemetry> make_telemetry();
std::unique_ptr<Ladder> make_ladder();

/// Page-aligned memory on huge pages where the kernel gives them; throws OutOfMemory.
Buffer allocate(std::size_t bytes);
MemoryInfo memory_info();

}  // namespace hpcx::cpu
