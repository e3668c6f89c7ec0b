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

/// A field of HPL.dat: the reader, its messages and the reference take it from kHplDatFields.
struct HplDatField {
  int line;               ///< of the values
  int count_line;         ///< of a list: the line with the number of its values; otherwise 0
  std::string_view name;  ///< in messages
  std::string_view flag;  ///< stands in place of the field
  std::string_view meaning;
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
    {3, 0, "output file name", "--output", "file of the report", "one word"},
    {4, 0, "device out", "--output", "place of the report",
     "6 standard output, 7 standard error, any other number: the file of line 3"},
    {6, 5, "N", "-N", "orders of the matrix", "", kOrderRange},
    {8, 7, "NB", "--NB", "block sizes", "", kBlockSizeRange},
    {9, 0, "PMAP", "--pmap", "ranks over the grid", "", {}, choices_of<kRankOrders>, 0},
    {11, 10, "P", "-P", "rows of the process grids",
     "1 or more; the largest P x Q at most the number of ranks", kGridRange},
    {12, 10, "Q", "-Q", "columns of the process grids, as many as rows", "1 or more", kGridRange},
    {13, 0, "threshold", "--threshold", "of the scaled residual",
     "a finite real number; 0 or less: no check"},
    {15, 14, "PFACT", "--pfact", "base case of the panel", "", {}, choices_of<kPanelVariants>, 2},
    {17, 16, "NBMIN", "--nbmin", "columns at which the recursion stops", "", kRecursionStopRange},
    {19, 18, "NDIV", "--ndiv", "parts of a panel per recursion", "", kRecursionDivisorRange},
    {21, 20, "RFACT", "--rfact", "recursive panel", "", {}, choices_of<kPanelVariants>, 2},
    {23, 22, "BCAST", "--bcast", "panel broadcast", "", {}, choices_of<kBroadcastVariants>, 1},
    {25, 24, "DEPTH", "--depth", "look-ahead: panels made ahead of the update",
     "0 or more; above 8 runs as 8, with a remark", kDepthRange},
    {26, 0, "SWAP", "--swap", "row swap", "", {}, choices_of<kSwapVariants>, 1},
    {27, 0, "swapping threshold", "--swap-threshold",
     "columns up to which mix takes binary exchange", "", kSwapThresholdRange, nullptr, 0},
    {28, 0, "L1", "--l1", "storage of L1", "", {}, choices_of<kStorages>, 0},
    {29, 0, "U", "--u", "storage of U", "", {}, choices_of<kStorages>, 0},
    {30,
     0,
     "equilibration",
     "--equil",
     "each process solves an equal part of U",
     "",
     {},
     choices_of<kSwitches>,
     1},
    {31, 0, "alignment", "--align", "doubles of which leading dimensions are multiples", "",
     kAlignmentRange, nullptr, 4},
}};

inline const HplDatField& hpl_dat_field(std::string_view name) {
  const auto* const field = std::ranges::find(kHplDatFields, name, &HplDatField::name);
  HPL_ASSERT(field != kHplDatFields.end());
  return *field;
}

}  // namespace hpl
