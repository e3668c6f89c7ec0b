#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/launch.h"
#include "gpu/pack.h"
#include "hpcx/generator.h"
#include "hpcx/kernels.h"

/// The kernel that makes matrices of random numbers, over the type of elements.
namespace hpcx::HPCX_GPU_NAMESPACE {

using generator::Jump;

/// The dimension along which a thread runs: numbers of the sequence per index, the two jumps from
/// one of its indices to the next, inside a block and across the gap between blocks, and how many
/// indices a thread has.
struct SlowAxis {
  IndexMap map;
  std::uint64_t unit;
  Jump step;
  Jump skip;
  std::int64_t run = 1;
};

struct FastAxis {
  IndexMap map;
  std::uint64_t unit;
};

inline SlowAxis slow_axis(IndexMap map, std::uint64_t unit) {
  const auto gap = static_cast<std::uint64_t>(map.stride - map.block + 1);
  return {map, unit, generator::jump(unit), generator::jump(unit * gap)};
}

/// A thread owns kPack places of slow.run consecutive lines: one jump of O(log N) to the first of
/// each place, then one multiplication an element. Neighbouring threads write neighbouring elements
/// of a line. `element(state, fast, slow)` makes an element of a state and the two global indices.
template <int kPack, class T, class Element>
__global__ void generate_lines(Lines<T> tile, FastAxis fast, SlowAxis slow, Element element) {
  const std::int64_t pieces = ceil_div(tile.length, kThreads * kPack);
  const std::int64_t place = (blockIdx.x % pieces * kThreads + threadIdx.x) * kPack;
  const std::int64_t first = blockIdx.x / pieces * slow.run;
  if (place >= tile.length) return;
  const std::int64_t end = first + slow.run < tile.lines ? first + slow.run : tile.lines;

  std::int64_t index = slow.map(first);
  std::int64_t places[kPack];
  std::uint64_t states[kPack];
#pragma unroll
  for (int p = 0; p < kPack; ++p) {
    places[p] = fast.map(place + p);
    states[p] = generator::jump(1 + fast.unit * static_cast<std::uint64_t>(places[p]) +
                                slow.unit * static_cast<std::uint64_t>(index))(element.seed);
  }
  std::int64_t left_in_block = slow.map.block - first % slow.map.block;
  T* out = tile.data + first * tile.ld + place;
  for (std::int64_t line = first; line < end; ++line, out += tile.ld) {
    Pack<T, kPack> pack;
#pragma unroll
    for (int p = 0; p < kPack; ++p)
      pack.element[p] = element(states[p], places[p], index);
    if (place + kPack <= tile.length) {
      store(out, pack);
    } else {
#pragma unroll
      for (int p = 0; p < kPack; ++p)
        if (place + p < tile.length) out[p] = pack.element[p];
    }
    const bool ends = --left_in_block == 0;
    if (ends) left_in_block = slow.map.block;
    index += ends ? slow.map.stride - slow.map.block + 1 : 1;
    const Jump jump = ends ? slow.skip : slow.step;
#pragma unroll
    for (int p = 0; p < kPack; ++p)
      states[p] = jump(states[p]);
  }
}

/// tile(i, j) := element(X(1 + i + j order), ...) for global indices. Where kPack is above 1, lines
/// begin on a boundary of so many elements.
template <int kPack, class T, class Element>
void launch_generate(gpuStream_t stream, const GlobalPart& part, BasicMatrixView<T> tile,
                     const Element& element) {
  if (tile.empty()) return;
  const Lines<T> lines = lines_of(tile);
  const auto column_unit = static_cast<std::uint64_t>(part.order);
  const bool row_major = tile.layout == Layout::RowMajor;
  const FastAxis fast = row_major ? FastAxis{part.cols, column_unit} : FastAxis{part.rows, 1};
  SlowAxis slow = row_major ? slow_axis(part.rows, 1) : slow_axis(part.cols, column_unit);
  // Long runs make the jump cheap; short ones keep a small tile spread over the chip.
  constexpr std::int64_t kEnoughThreads = 1 << 18;
  slow.run = std::clamp<std::int64_t>(lines.lines * lines.length / kEnoughThreads, 1, 128);
  const std::int64_t blocks =
      ceil_div(lines.length, kThreads * kPack) * ceil_div(lines.lines, slow.run);
  generate_lines<kPack><<<grid_size(blocks), kThreads, 0, stream>>>(lines, fast, slow, element);
  HPCX_CHECK_LAUNCH("generate_lines");
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
