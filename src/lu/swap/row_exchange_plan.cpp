#include "hpl/lu/swap/row_exchange_plan.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace hpl {

namespace {

/// Numbers distinct rows from 0 on, in the order of their first use. The step's critical path leads
/// through here, and a map that allocates for every row takes ten times as long.
class RowNumbers {
 public:
  explicit RowNumbers(std::size_t most_rows)
      : bits_(static_cast<int>(std::bit_width(2 * most_rows))),
        places_(std::size_t{1} << bits_, kFree) {
    rows_.reserve(most_rows);
  }

  std::size_t number_of(std::int64_t row) {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;  // of 2^64: spreads neighbours
    std::size_t at = (static_cast<std::uint64_t>(row) * kGoldenRatio) >> (64 - bits_);
    while (places_[at] != kFree && rows_[static_cast<std::size_t>(places_[at])] != row)
      at = (at + 1) % places_.size();
    if (places_[at] == kFree) {
      places_[at] = static_cast<std::int32_t>(rows_.size());
      rows_.push_back(row);
    }
    return static_cast<std::size_t>(places_[at]);
  }
  const std::vector<std::int64_t>& rows() const { return rows_; }

 private:
  static constexpr std::int32_t kFree = -1;

  int bits_;
  std::vector<std::int32_t> places_;  // of numbers, more than twice as many as rows
  std::vector<std::int64_t> rows_;
};

/// Rows grouped by the process that owns them, in their order within each group.
struct RowGroups {
  int me = 0;
  std::vector<Interval> parts;         ///< by process: its places
  std::vector<std::int64_t> place_of;  ///< by row

  RowGroups(std::span<const GlobalRow> of, const RowMap& rows)
      : me(rows.rank()), parts(static_cast<std::size_t>(rows.processes())), place_of(of.size()) {
    if (parts.size() == 1) {
      parts[0].count = std::ssize(of);
      std::iota(place_of.begin(), place_of.end(), 0);
      return;
    }
    std::vector<std::size_t> owner(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) {
      owner[i] = static_cast<std::size_t>(rows.owner(of[i]));
      ++parts[owner[i]].count;
    }
    std::vector<std::int64_t> next(parts.size());
    for (std::size_t process = 1; process < parts.size(); ++process)
      next[process] = parts[process].begin = parts[process - 1].begin + parts[process - 1].count;
    for (std::size_t i = 0; i < of.size(); ++i)
      place_of[i] = next[owner[i]]++;
  }

  Interval own() const { return parts[static_cast<std::size_t>(me)]; }
  bool is_own(std::size_t row) const {
    return place_of[row] >= own().begin && place_of[row] < own().begin + own().count;
  }
  std::size_t place_among_own(std::size_t row) const {
    return static_cast<std::size_t>(place_of[row] - own().begin);
  }
};

}  // namespace

RowPermutation permutation_of(std::span<const std::int64_t> pivots, std::int64_t first) {
  const auto width = static_cast<std::int64_t>(pivots.size());
  RowPermutation result;
  result.source.resize(pivots.size());
  for (std::int64_t t = 0; t < width; ++t)
    result.source[t] = {first + t};

  // below[i]: the original row that stands in the i-th touched row under the diagonal block. Only
  // rows of the diagonal block can get there, since a row above c never moves again.
  RowNumbers touched(pivots.size());
  std::vector<GlobalRow> below;
  below.reserve(pivots.size());
  for (std::int64_t c = 0; c < width; ++c) {
    const std::int64_t pivot = pivots[c];
    if (pivot < first + width) {
      std::swap(result.source[c], result.source[pivot - first]);
    } else {
      const std::size_t number = touched.number_of(pivot);
      if (number == below.size()) below.push_back({pivot});
      std::swap(result.source[c], below[number]);
    }
  }
  result.top.reserve(below.size());
  result.to.reserve(below.size());
  for (std::size_t i = 0; i < below.size(); ++i) {
    result.top.push_back(below[i].value - first);
    result.to.push_back({touched.rows()[i]});
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
  const RowGroups of_u(permutation.source, rows);
  plan.u_parts = of_u.parts;
  plan.slot_of = of_u.place_of;
  plan.u_rows.resize(static_cast<std::size_t>(of_u.own().count));
  for (std::size_t t = 0; t < permutation.source.size(); ++t)
    if (of_u.is_own(t))
      plan.u_rows[of_u.place_among_own(t)] = rows.to_local(permutation.source[t]).value;

  const RowGroups displaced(permutation.to, rows);
  plan.displaced_parts = displaced.parts;
  plan.displaced_to.resize(static_cast<std::size_t>(displaced.own().count));
  if (rows.rank() == plan.owner_row) plan.displaced_from.resize(permutation.to.size());
  for (std::size_t i = 0; i < permutation.to.size(); ++i) {
    if (rows.rank() == plan.owner_row)
      plan.displaced_from[static_cast<std::size_t>(displaced.place_of[i])] =
          rows.to_local({first + permutation.top[i]}).value;
    if (displaced.is_own(i))
      plan.displaced_to[displaced.place_among_own(i)] = rows.to_local(permutation.to[i]).value;
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
