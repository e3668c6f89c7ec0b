#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hpl/base/choice/choice.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {

/// The number of lines of an HPL.dat that mean something.
inline constexpr int kHplDatLines = 31;

/// A field of HPL.dat, for the reader, the writer and their messages.
struct HplDatField {
  int line;               ///< of the values
  int count_line;         ///< of a list: the line with the number of its values; otherwise 0
  std::string_view name;  ///< in messages
  std::string_view allowed = {};  ///< empty: the range or the choices say it
  std::optional<IntegerRange> range = {};
  std::string (*choices)() = nullptr;  ///< "0=left, 1=Crout, 2=right"
  /// The number in place of one that is no choice or is below the range. Empty: an error.
  std::optional<std::int64_t> otherwise = {};
};

template <const auto& Table>
std::string choices_of() {
  return numbered_choices(Table);
}

inline constexpr std::array<HplDatField, 20> kHplDatFields{{
    {3, 0, "output file name", "one word"},
    {4, 0, "device out", "6=stdout, 7=stderr, otherwise the file of line 3"},
    {6, 5, "N", "", kOrderRange},
    {8, 7, "NB", "", kBlockSizeRange},
    {9, 0, "PMAP", "", {}, choices_of<kRankOrders>, 0},
    {11, 10, "P", "1 or more; the largest P x Q at most the number of ranks", kGridRange},
    {12, 10, "Q", "1 or more", kGridRange},
    {13, 0, "threshold", "a real number; 0 or less: no check"},
    {15, 14, "PFACT", "", {}, choices_of<kPanelVariants>, 2},
    {17, 16, "NBMIN", "", kRecursionStopRange},
    {19, 18, "NDIV", "", kRecursionDivisorRange},
    {21, 20, "RFACT", "", {}, choices_of<kPanelVariants>, 2},
    {23, 22, "BCAST", "", {}, choices_of<kBroadcastVariants>, 1},
    {25, 24, "DEPTH", "0 or more; above 8 runs as 8", kDepthRange},
    {26, 0, "SWAP", "", {}, choices_of<kSwapVariants>, 1},
    {27, 0, "swapping threshold", "", kSwapThresholdRange, nullptr, 0},
    {28, 0, "L1", "", {}, choices_of<kStorages>, 0},
    {29, 0, "U", "", {}, choices_of<kStorages>, 0},
    {30, 0, "equilibration", "", {}, choices_of<kSwitches>, 1},
    {31, 0, "alignment", "", kAlignmentRange, nullptr, 4},
}};

/// The values that a field may have: "1 to 65536; less is read as 4", "0=left, 1=Crout, 2=right".
std::string allowed_text(const HplDatField& field);

inline const HplDatField& hpl_dat_field(std::string_view name) {
  const auto* const field = std::ranges::find(kHplDatFields, name, &HplDatField::name);
  HPL_ASSERT(field != kHplDatFields.end());
  return *field;
}

}  // namespace hpl
