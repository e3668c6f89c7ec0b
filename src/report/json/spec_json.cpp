#include "spec_json.h"

#include <fmt/format.h>

#include "hpl/input/run_spec/field_rules.h"
#include "hpl/report/result/json_values.h"

namespace hpl {

using Json = nlohmann::ordered_json;

Json spec_object(const RunSpec& spec) {
  return {{"variant", variant_code(spec)},
          {"order", spec.order},
          {"block_size", spec.block_size},
          {"grid_rows", spec.grid_rows},
          {"grid_columns", spec.grid_columns},
          {"rank_order", to_string(spec.rank_order)},
          {"depth", spec.depth},
          {"broadcast", to_string(spec.broadcast)},
          {"recursive_variant", to_string(spec.recursive_variant)},
          {"recursion_divisor", spec.recursion_divisor},
          {"panel_variant", to_string(spec.panel_variant)},
          {"recursion_stop", spec.recursion_stop},
          {"swap", to_string(spec.swap)},
          {"swap_threshold", spec.swap_threshold},
          {"transposed_l1", spec.transposed_l1},
          {"transposed_u", spec.transposed_u},
          {"equilibrate", spec.equilibrate},
          {"alignment", spec.alignment},
          {"arithmetic", arithmetic_text(spec)},
          {"emulated_moduli", spec.emulated_moduli},
          {"checksums", spec.checksums},
          {"matrix", name_of(kMatrixRequests, spec.matrix)},
          {"device_memory_bytes", value_or_null(spec.device_memory)},
          {"threshold", number_or_null(spec.threshold)}};
}

namespace {

template <class Table>
ChoiceValue<Table> choice_at(const JsonCursor& from, const char* key, const Table& table) {
  const JsonCursor value = from.at(key);
  const std::string name = value.text();
  for (const auto& row : table)
    if (name == row.name) return row.value;
  value.refuse(allowed_choices(table, ChoiceNumbers::None));
}

template <class Number = std::int64_t>
Number number_at(const JsonCursor& from, const char* key, const IntegerRange& range) {
  const JsonCursor value = from.at(key);
  const std::int64_t number = value.integer();
  if (number < range.least || number > range.most)
    value.refuse(fmt::format("from {} to {}", range.least, range.most));
  return static_cast<Number>(number);
}

/// Documents of earlier versions have no such member.
MatrixRequest matrix_at(const JsonCursor& from) {
  return from.find("matrix") ? choice_at(from, "matrix", kMatrixRequests) : MatrixRequest::Device;
}

bool checksums_at(const JsonCursor& from) {
  const auto value = from.find("checksums");
  return value && value->truth();
}

std::optional<std::int64_t> device_memory_at(const JsonCursor& from) {
  if (!from.find("device_memory_bytes")) return std::nullopt;
  return number_at(from, "device_memory_bytes", kDeviceMemoryRange);
}

}  // namespace

RunSpec read_spec(const JsonCursor& from) {
  return {.order = number_at(from, "order", kOrderRange),
          .block_size = number_at(from, "block_size", kBlockSizeRange),
          .grid_rows = number_at<int>(from, "grid_rows", kGridRange),
          .grid_columns = number_at<int>(from, "grid_columns", kGridRange),
          .rank_order = choice_at(from, "rank_order", kRankOrders),
          .depth = number_at<int>(from, "depth", kDepthRange),
          .broadcast = choice_at(from, "broadcast", kBroadcastVariants),
          .recursive_variant = choice_at(from, "recursive_variant", kPanelVariants),
          .recursion_divisor = number_at<int>(from, "recursion_divisor", kRecursionDivisorRange),
          .panel_variant = choice_at(from, "panel_variant", kPanelVariants),
          .recursion_stop = number_at<int>(from, "recursion_stop", kRecursionStopRange),
          .swap = choice_at(from, "swap", kSwapVariants),
          .swap_threshold = number_at(from, "swap_threshold", kSwapThresholdRange),
          .transposed_l1 = from.at("transposed_l1").truth(),
          .transposed_u = from.at("transposed_u").truth(),
          .equilibrate = from.at("equilibrate").truth(),
          .alignment = number_at(from, "alignment", kAlignmentRange),
          .emulated_moduli = number_at<int>(from, "emulated_moduli", kModuliRange),
          .checksums = checksums_at(from),
          .matrix = matrix_at(from),
          .device_memory = device_memory_at(from),
          .threshold = from.find_number("threshold").value_or(0)};
}

}  // namespace hpl
