#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "hpl/base/choice/choice.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// The largest N: 8 N (N + 1) bytes still fit a 64-bit number, padding included.
inline constexpr std::int64_t kLargestOrder = 1'000'000'000;

/// The ranges of HPL.dat and the flags, in one place so that both say the same.
inline constexpr IntegerRange kOrderRange{0, kLargestOrder};
inline constexpr IntegerRange kBlockSizeRange{1, kLargestOrder};
inline constexpr IntegerRange kGridRange{1, std::numeric_limits<std::int32_t>::max()};
inline constexpr IntegerRange kRecursionStopRange{1, std::numeric_limits<std::int32_t>::max()};
inline constexpr IntegerRange kRecursionDivisorRange{2, std::numeric_limits<std::int32_t>::max()};
inline constexpr IntegerRange kDepthRange{0, std::numeric_limits<std::int32_t>::max()};
inline constexpr IntegerRange kSwapThresholdRange{0, kLargestOrder};
inline constexpr IntegerRange kAlignmentRange{1, 65536};
/// Limits for documents. A machine may allow less.
inline constexpr IntegerRange kModuliRange{0, std::numeric_limits<std::int32_t>::max()};

inline constexpr std::array<Choice<RankOrder>, 2> kRankOrders{{
    {RankOrder::RowMajor, "row-major", "row", "Row-major process mapping"},
    {RankOrder::ColumnMajor, "column-major", "column", "Column-major process mapping"},
}};
inline constexpr std::array<Choice<PanelVariant>, 3> kPanelVariants{{
    {PanelVariant::Left, "left", "L", "Left"},
    {PanelVariant::Crout, "Crout", "C"},
    {PanelVariant::Right, "right", "R", "Right"},
}};
struct BroadcastRow : Choice<BroadcastVariant> {
  BroadcastForm form;
};
inline constexpr std::array<BroadcastRow, 6> kBroadcastVariants{{
    {{BroadcastVariant::Ring1, "1ring"}, {.rings = 1, .next_owner_first = false}},
    {{BroadcastVariant::Ring1M, "1ringM"}, {.rings = 1, .next_owner_first = true}},
    {{BroadcastVariant::Ring2, "2ring"}, {.rings = 2, .next_owner_first = false}},
    {{BroadcastVariant::Ring2M, "2ringM"}, {.rings = 2, .next_owner_first = true}},
    {{BroadcastVariant::Long, "long", "Blong", "Blong"}, {.rings = 0, .next_owner_first = false}},
    {{BroadcastVariant::LongM, "longM", "BlonM", "BlongM"}, {.rings = 0, .next_owner_first = true}},
}};
inline constexpr std::array<Choice<SwapVariant>, 3> kSwapVariants{{
    {SwapVariant::BinaryExchange, "binary-exchange", "binary", "Binary-exchange"},
    {SwapVariant::SpreadRoll, "spread-roll", "long", "Spread-roll (long)"},
    {SwapVariant::Mix, "mix", "", "Mix"},
}};
/// Of L1 and of U; the value says whether the storage is transposed.
inline constexpr std::array<Choice<bool>, 2> kStorages{{
    {true, "transposed", "", "transposed form"},
    {false, "plain", "no-transposed", "no-transposed form"},
}};
inline constexpr std::array<Choice<bool>, 2> kSwitches{{
    {false, "no", "off"},
    {true, "yes", "on"},
}};

}  // namespace hpl
