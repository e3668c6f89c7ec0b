#include "hpl/input/run_spec/run_spec.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

std::string look_ahead(int depth) {
  return depth == 0 ? "no look-ahead" : fmt::format("look-ahead of depth {}", depth);
}

std::string columns(int count) {
  return count == 1 ? "1 column" : fmt::format("{} columns", count);
}

/// The properties of a run, a text each. Two runs differ in the texts that differ.
std::vector<std::string> properties_of(const RunSpec& spec) {
  return {fmt::format("arithmetic {}", arithmetic_text(spec)),
          fmt::format("--matrix {}", name_of(kMatrixRequests, spec.matrix)),
          spec.device_memory ? fmt::format("--device-memory {}", *spec.device_memory)
                             : "no --device-memory",
          spec.checksums ? "--verify-steps" : "no --verify-steps",
          fmt::format("threshold {}", std::max(spec.threshold, 0.0)),
          fmt::format("N = {}", spec.order),
          fmt::format("NB = {}", spec.block_size),
          fmt::format("{} x {}", spec.grid_rows, spec.grid_columns),
          fmt::format("variant {}", variant_code(spec)),
          fmt::format("SWAP {}", to_string(spec.swap)),
          fmt::format("swap threshold {}", spec.swap_threshold),
          fmt::format("L1 {}", name_of(kStorages, spec.transposed_l1)),
          fmt::format("U {}", name_of(kStorages, spec.transposed_u)),
          fmt::format("equilibration {}", name_of(kSwitches, spec.equilibrate)),
          fmt::format("alignment {}", spec.alignment)};
}

}  // namespace

std::string_view to_string(PanelVariant variant) {
  return name_of(kPanelVariants, variant);
}
std::string_view to_string(BroadcastVariant variant) {
  return name_of(kBroadcastVariants, variant);
}
std::string_view to_string(SwapVariant variant) {
  return name_of(kSwapVariants, variant);
}
std::string_view to_string(RankOrder order) {
  return name_of(kRankOrders, order);
}

BroadcastForm form_of(BroadcastVariant variant) {
  return row_of(kBroadcastVariants, variant).form;
}

std::int64_t step_count(const RunSpec& spec) {
  return (spec.order + spec.block_size - 1) / spec.block_size;
}

std::string arithmetic_text(const RunSpec& spec) {
  if (spec.emulated_moduli == 0) return "FP64";
  return fmt::format("FP64 emulated by {} INT8 products, Ozaki II", spec.emulated_moduli);
}

std::string mode_label(const RunSpec& spec) {
  if (spec.emulated_moduli == 0) return {};
  return arithmetic_text(spec) + " (tail update; all else FP64)";
}

std::optional<RunDifference> run_difference(const RunSpec& one, const RunSpec& other) {
  const std::vector<std::string> here = properties_of(one), there = properties_of(other);
  const auto [first, second] = std::ranges::mismatch(here, there);
  if (first == here.end()) return std::nullopt;
  return RunDifference{*first, *second};
}

std::string variant_code(const RunSpec& spec) {
  return fmt::format("{}{}{}{}{}{}{}{}", spec.emulated_moduli > 0 ? 'E' : 'W',
                     letter_of(kRankOrders, spec.rank_order), spec.depth,
                     number_of(kBroadcastVariants, spec.broadcast),
                     letter_of(kPanelVariants, spec.recursive_variant), spec.recursion_divisor,
                     letter_of(kPanelVariants, spec.panel_variant), spec.recursion_stop);
}

std::string describe_variant(const RunSpec& spec) {
  return fmt::format(
      "{} ranks, {}, {} broadcast, panels split recursively in {} ({}-looking) down to {} "
      "({}-looking){}{}",
      to_string(spec.rank_order), look_ahead(spec.depth), to_string(spec.broadcast),
      spec.recursion_divisor, to_string(spec.recursive_variant), columns(spec.recursion_stop),
      to_string(spec.panel_variant), spec.emulated_moduli > 0 ? ", tail update in " : "",
      spec.emulated_moduli > 0 ? arithmetic_text(spec) : "");
}

}  // namespace hpl
