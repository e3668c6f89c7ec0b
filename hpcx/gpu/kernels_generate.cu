#include <algorithm>

#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "gpu/stream.h"
#include "hpcx/generator.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

using generator::Jump;

/// The dimension along which a thread runs: numbers of the sequence per index, and the two jumps
/// from one of its indices to the next, inside a block and across the gap between blocks.
struct SlowAxis {
  IndexMap map;
  std::uint64_t unit;
  Jump step;
  Jump skip;
};

struct FastAxis {
  IndexMap map;
  std::uint64_t unit;
};

SlowAxis slow_axis(IndexMap map, std::uint64_t unit) {
  const auto gap = static_cast<std::uint64_t>(map.stride - map.block + 1);
  return {map, unit, generator::jump(unit), generator::jump(unit * gap)};
}

/// A thread owns one place of `run` consecutive lines: one jump of O(log N) to the first, then one
/// multiplication each. Neighbouring threads write neighbouring elements of a line.
__global__ void generate_lines(Lines<double> tile, FastAxis fast, SlowAxis slow, std::int64_t run) {
  const std::int64_t pieces = ceil_div(tile.length, kThreads);
  const std::int64_t place = blockIdx.x % pieces * kThreads + threadIdx.x;
  const std::int64_t first = blockIdx.x / pieces * run;
  if (place >= tile.length) return;
  const std::int64_t end = first + run < tile.lines ? first + run : tile.lines;

  std::uint64_t state =
      generator::jump(1 + fast.unit * static_cast<std::uint64_t>(fast.map(place)) +
                      slow.unit * static_cast<std::uint64_t>(slow.map(first)))(generator::kSeed);
  std::int64_t left_in_block = slow.map.block - first % slow.map.block;
  double* out = tile.data + first * tile.ld + place;
  for (std::int64_t line = first; line < end; ++line, out += tile.ld) {
    // A fused multiply-add here would change nothing: the product with a power of two is exact.
    *out = generator::value(state);
    if (--left_in_block == 0) {
      left_in_block = slow.map.block;
      state = slow.skip(state);
    } else {
      state = slow.step(state);
    }
  }
}

}  // namespace

void GpuKernels::generate(StreamRef stream, std::int64_t order, IndexMap rows, IndexMap cols,
                          MatrixView tile) {
  if (tile.empty()) return;
  GpuStream& state = activate(stream);
  const Lines<double> lines = lines_of(tile);
  const auto column_unit = static_cast<std::uint64_t>(order);
  const bool row_major = tile.layout == Layout::RowMajor;
  const FastAxis fast = row_major ? FastAxis{cols, column_unit} : FastAxis{rows, 1};
  const SlowAxis slow = row_major ? slow_axis(rows, 1) : slow_axis(cols, column_unit);
  // Long runs make the jump cheap; short ones keep a small tile spread over the chip.
  constexpr std::int64_t kEnoughThreads = 1 << 18;
  const std::int64_t run =
      std::clamp<std::int64_t>(lines.lines * lines.length / kEnoughThreads, 1, 128);
  const std::int64_t blocks = ceil_div(lines.length, kThreads) * ceil_div(lines.lines, run);
  generate_lines<<<grid_size(blocks), kThreads, 0, state.native()>>>(lines, fast, slow, run);
  HPCX_CHECK_LAUNCH("generate_lines");
}

gpuError_t probe_kernels() {
  gpuFuncAttributes attributes{};
  return gpuFuncGetAttributes(&attributes, reinterpret_cast<const void*>(generate_lines));
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
