#include "hpl/input/run_spec/run_spec.h"

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
