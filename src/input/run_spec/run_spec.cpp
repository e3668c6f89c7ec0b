#include "hpl/input/run_spec/run_spec.h"

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

template <class Value, std::size_t Count>
std::string_view name_of(const std::array<Choice<Value>, Count>& choices, Value value) {
  for (const auto& choice : choices) {
    if (choice.value == value) return choice.name;
  }
  HPL_ASSERT(false && "a value outside its enumeration");
}

char letter(RankOrder order) {
  return order == RankOrder::RowMajor ? 'R' : 'C';
}

char letter(PanelVariant variant) {
  switch (variant) {
    case PanelVariant::Left:
      return 'L';
    case PanelVariant::Crout:
      return 'C';
    case PanelVariant::Right:
      return 'R';
  }
  HPL_ASSERT(false && "a value outside its enumeration");
}

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

std::int64_t step_count(const RunSpec& spec) {
  return (spec.order + spec.block_size - 1) / spec.block_size;
}

std::string variant_code(const RunSpec& spec) {
  return fmt::format("W{}{}{}{}{}{}{}", letter(spec.rank_order), spec.depth,
                     static_cast<int>(spec.broadcast), letter(spec.recursive_variant),
                     spec.recursion_divisor, letter(spec.panel_variant), spec.recursion_stop);
}

std::string describe_variant(const RunSpec& spec) {
  return fmt::format(
      "{} ranks, {}, {} broadcast, panels split recursively in {} ({}-looking) down to {} "
      "({}-looking)",
      to_string(spec.rank_order), look_ahead(spec.depth), to_string(spec.broadcast),
      spec.recursion_divisor, to_string(spec.recursive_variant), columns(spec.recursion_stop),
      to_string(spec.panel_variant));
}

}  // namespace hpl
