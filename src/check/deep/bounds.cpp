#include "bounds.h"

#include <algorithm>

#include <fmt/format.h>

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

std::string rung_key(hpcx::LadderRung rung) {
  switch (rung.kind) {
    case LadderKind::Loops:
      return "loops";
    case LadderKind::Simd:
      return "simd";
    case LadderKind::Blocked:
      return fmt::format("blocked_{}", rung.parameter);
    case LadderKind::Transposed:
      return "transposed";
    case LadderKind::Elements:
      return fmt::format("elements_{}", rung.parameter);
    case LadderKind::Tiles:
      return fmt::format("tiles_{}", rung.parameter);
    case LadderKind::Library:
      return "library";
  }
  return "?";
}

std::string rung_label(hpcx::LadderRung rung) {
  switch (rung.kind) {
    case LadderKind::Loops:
      return "three loops";
    case LadderKind::Simd:
      return "SIMD";
    case LadderKind::Blocked:
      return fmt::format("blocks of {}", rung.parameter);
    case LadderKind::Transposed:
      return "B transposed";
    case LadderKind::Elements:
      return fmt::format("a thread an element, {0} x {0}", rung.parameter);
    case LadderKind::Tiles:
      return fmt::format("tiles, {} stage{}", rung.parameter, rung.parameter == 1 ? "" : "s");
    case LadderKind::Library:
      return "library";
  }
  return "?";
}

}  // namespace hpl
