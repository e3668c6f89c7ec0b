#include "hpl/run/report/head_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

// Scripts compare these words with netlib's reports, so they are netlib's and not to_string()'s.
std::string_view report_word(PanelVariant variant) {
  return report_words(kPanelVariants, variant);
}

std::string_view report_word(BroadcastVariant variant) {
  return report_words(kBroadcastVariants, variant);
}

std::string swap_words(SwapVariant swap, std::int64_t threshold) {
  const std::string_view words = report_words(kSwapVariants, swap);
  return swap == SwapVariant::Mix ? fmt::format("{} (threshold = {})", words, threshold)
                                  : std::string(words);
}

template <typename T>
std::string value_text(T value) {
  if constexpr (std::is_enum_v<T>) {
    return fmt::format("{:>8} ", report_word(value));
  } else {
    return fmt::format("{:8d} ", value);
  }
}

template <typename T>
std::string list_line(std::string_view name, const std::vector<T>& values) {
  constexpr std::size_t kValuesPerRow = 8;
  std::string text = fmt::format("{:<7}:", name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && i % kValuesPerRow == 0) text += "\n" + std::string(8, ' ');
    text += value_text(values[i]);
  }
  return text + "\n";
}

std::string word_line(std::string_view name, std::string_view words) {
  return fmt::format("{:<7}: {}\n", name, words);
}

}  // namespace

std::string environment_lines(const JobHeader& header, Detail detail) {
  constexpr std::array<std::string_view, 3> kDetails{"memory", "compiler", "command"};
  NamedValues environment = header.environment;
  std::ranges::copy(facts_of(header.program), std::back_inserter(environment));
  if (detail < Detail::Everything)
    std::erase_if(environment, [&](const auto& entry) {
      return std::ranges::find(kDetails, entry.first) != kDetails.end();
    });
  std::size_t width = 0;
  for (const auto& [name, value] : environment)
    width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : environment)
    text += fmt::format("# {:<{}} : {}\n", one_line(name), width, one_line(value));
  return text;
}

std::string remark_lines(std::span<const Remark> remarks) {
  std::string text;
  for (const Remark& remark : remarks)
    text += fmt::format("# {}: {}\n", remark.severity == Severity::Remark ? "chosen" : "remark",
                        one_line(remark.text));
  return text;
}

std::string parameter_text(const ParameterBlock& block) {
  std::string text;
  text += list_line("N", block.orders);
  text += list_line("NB", block.block_sizes);
  text += word_line("PMAP", report_words(kRankOrders, block.rank_order));
  text += list_line("P", block.grid_rows);
  text += list_line("Q", block.grid_columns);
  if (block.mixed) {  // whose panels have no pivots
    text += list_line("BCAST", block.broadcasts);
    text += list_line("DEPTH", block.depths);
    return text + word_line("MxP", to_string(*block.mixed));
  }
  text += list_line("PFACT", block.panel_variants);
  text += list_line("NBMIN", block.recursion_stops);
  text += list_line("NDIV", block.recursion_divisors);
  text += list_line("RFACT", block.recursive_variants);
  text += list_line("BCAST", block.broadcasts);
  text += list_line("DEPTH", block.depths);
  text += word_line("SWAP", swap_words(block.swap, block.swap_threshold));
  text += word_line("L1", report_words(kStorages, block.transposed_l1));
  text += word_line("U", report_words(kStorages, block.transposed_u));
  text += word_line("EQUIL", report_words(kSwitches, block.equilibrate));
  text += word_line("ALIGN", fmt::format("{} double precision words", block.alignment));
  return text;
}

}  // namespace hpl
