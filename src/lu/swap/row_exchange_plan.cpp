#include "hpl/lu/swap/row_exchange_plan.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace hpl {

RowPermutation permutation_of(std::span<const std::int64_t> pivots, std::int64_t first) {
  const auto width = static_cast<std::int64_t>(pivots.size());
  RowPermutation result;
  result.source.resize(pivots.size());
  for (std::int64_t t = 0; t < width; ++t)
    result.source[t] = {first + t};

  // below[r]: the original row that stands in row r under the diagonal block. Only rows of the
  // diagonal block can get there, since a row above c never moves again.
  std::unordered_map<std::int64_t, GlobalRow> below;
  std::vector<std::int64_t> touched;  // in the order of first use, for a reproducible plan
  for (std::int64_t c = 0; c < width; ++c) {
    const std::int64_t pivot = pivots[c];
    if (pivot < first + width) {
      std::swap(result.source[c], result.source[pivot - first]);
    } else {
      const auto [entry, is_new] = below.try_emplace(pivot, GlobalRow{pivot});
      if (is_new) touched.push_back(pivot);
      std::swap(result.source[c], entry->second);
    }
  }
  for (const std::int64_t row : touched) {
    result.top.push_back(below.at(row).value - first);
    result.to.push_back({row});
  }
  return result;
}

RowExchangePlan plan_row_exchange(const RowPermutation& permutation, const RowMap& rows,
                                  std::int64_t first) {
  const auto width = static_cast<std::int64_t>(permutation.source.size());
  RowExchangePlan plan{.me = rows.rank(),
                       .owner_row = rows.owner({first}),
                       .processes = rows.processes(),
                       .width = width};
  plan.slot_of.resize(permutation.source.size());
  std::int64_t slot = 0;
  for (int process = 0; process < rows.processes(); ++process) {
    const std::int64_t begin = slot;
    for (std::int64_t t = 0; t < width; ++t) {
      if (rows.owner(permutation.source[t]) != process) continue;
      plan.slot_of[t] = slot++;
      if (process == rows.rank()) plan.u_rows.push_back(rows.to_local(permutation.source[t]).value);
    }
    plan.u_parts.push_back({begin, slot - begin});
  }
  std::int64_t sent = 0;
  for (int process = 0; process < rows.processes(); ++process) {
    const std::int64_t begin = sent;
    for (std::size_t i = 0; i < permutation.to.size(); ++i) {
      if (rows.owner(permutation.to[i]) != process) continue;
      ++sent;
      if (rows.rank() == plan.owner_row)
        plan.displaced_from.push_back(rows.to_local({first + permutation.top[i]}).value);
      if (process == rows.rank())
        plan.displaced_to.push_back(rows.to_local(permutation.to[i]).value);
    }
    plan.displaced_parts.push_back({begin, sent - begin});
  }
  return plan;
}

SolveSite solve_site(SwapVariant variant, bool equilibrate) {
  return variant == SwapVariant::SpreadRoll && equilibrate ? SolveSite::Divided
                                                           : SolveSite::Everywhere;
}

std::vector<Interval> column_pieces(std::int64_t columns, int processes) {
  constexpr std::int64_t kRun = 16;
  const std::int64_t runs = (columns + kRun - 1) / kRun;
  std::vector<Interval> pieces;
  for (int p = 0; p < processes; ++p) {
    const std::int64_t begin = std::min(columns, runs * p / processes * kRun);
    const std::int64_t end = std::min(columns, runs * (p + 1) / processes * kRun);
    pieces.push_back({begin, end - begin});
  }
  return pieces;
}

ExchangeBuffer exchange_buffer(const RowExchangePlan& plan, SolveSite place, std::int64_t columns) {
  const bool owner = plan.me == plan.owner_row;
  ExchangeBuffer buffer;
  if (place == SolveSite::Divided) {
    buffer.piece = plan.u_parts[plan.me].count * columns;
    buffer.outgoing =
        buffer.piece + plan.width * column_pieces(columns, plan.processes)[plan.me].count;
  } else {
    buffer.outgoing = plan.width * columns;
  }
  const auto outgoing = static_cast<std::int64_t>(plan.displaced_from.size());
  const auto incoming = owner ? 0 : static_cast<std::int64_t>(plan.displaced_to.size());
  buffer.incoming = buffer.outgoing + outgoing * columns;
  buffer.size = buffer.incoming + incoming * columns;
  if (place == SolveSite::Divided) buffer.size = std::max(buffer.size, plan.width * columns);
  return buffer;
}

SwapVariant resolve_swap(SwapVariant variant, std::int64_t threshold, std::int64_t columns) {
  if (variant != SwapVariant::Mix) return variant;
  return columns <= threshold ? SwapVariant::BinaryExchange : SwapVariant::SpreadRoll;
}

}  // namespace hpl
