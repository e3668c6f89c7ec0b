#include "bounds.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "hpl/base/error/error.h"

namespace hpl {

using hpcx::LadderKind;

BoundedBy bounded_by(double flops, double bytes, double seconds, const RateCeilings& rates) {
  if (!(seconds > 0) || !(rates.flops > 0) || !(rates.bytes > 0)) return {};
  constexpr double kEnough = 0.5;  // of a rate, to call it the bound
  const double compute = flops / seconds / rates.flops;
  const double memory = bytes / seconds / rates.bytes;
  if (compute >= kEnough && compute >= std::min(memory, 1.0)) return {Bound::Compute, compute};
  if (memory > 1) return {Bound::Caches, memory};
  if (memory >= kEnough) return {Bound::Memory, memory};
  return {Bound::Latency, std::max(compute, memory)};
}

double product_bytes(hpcx::LadderRung rung, std::int64_t order, std::int64_t bytes_of_value) {
  const auto n = static_cast<double>(order), size = static_cast<double>(bytes_of_value);
  const double all = n * n * n * size, once = 3 * n * n * size;
  switch (rung.kind) {
    case LadderKind::Loops:
    case LadderKind::Simd:
      return all + once;  // B for every row
    case LadderKind::Blocked:
      return 4 * all / rung.parameter + once;  // blocks of A and B in, of C in and out
    case LadderKind::Transposed:
      return all / rung.parameter + once;  // A for every group of columns
    case LadderKind::Elements:
      return 2 * all / rung.parameter + once;  // strips of A and B for every block
    case LadderKind::Tiles:
      return 2 * all / hpcx::kLadderTile + once;
    case LadderKind::Library:
      return once;
  }
  return once;
}

namespace {

/// The names of a kind of product; {} stands for its parameter.
struct RungNames {
  LadderKind kind;
  std::string_view key, label;
};
constexpr std::array<RungNames, 7> kRungs{{
    {LadderKind::Loops, "loops", "three loops"},
    {LadderKind::Simd, "simd", "SIMD"},
    {LadderKind::Blocked, "blocked_{}", "blocks of {}"},
    {LadderKind::Transposed, "transposed", "B transposed"},
    {LadderKind::Elements, "elements_{}", "a thread an element, {0} x {0}"},
    {LadderKind::Tiles, "tiles_{}", "tiles, stages: {}"},
    {LadderKind::Library, "library", "library"},
}};

std::string name_of(hpcx::LadderRung rung, std::string_view RungNames::*form) {
  const auto row = std::ranges::find(kRungs, rung.kind, &RungNames::kind);
  HPL_ASSERT(row != kRungs.end());
  return fmt::format(fmt::runtime((*row).*form), rung.parameter);
}

}  // namespace

std::string rung_key(hpcx::LadderRung rung) {
  return name_of(rung, &RungNames::key);
}

std::string rung_label(hpcx::LadderRung rung) {
  return name_of(rung, &RungNames::label);
}

}  // namespace hpl
