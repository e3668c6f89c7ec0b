#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hpl/comm/mpi/schedule.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/matrix/step_geometry.h"

namespace hpl {

/// The sum of the row exchanges of one panel, for the whole matrix. Pure.
struct RowPermutation {
  /// source[t]: the global row that ends up in row first + t of the matrix.
  std::vector<GlobalRow> source;
  /// Rows of the diagonal block that end up below it: row first + top[i] moves to row to[i].
  std::vector<std::int64_t> top;
  std::vector<GlobalRow> to;
};

/// pivots[c] is the global row exchanged with row first + c, applied in the order of c.
RowPermutation permutation_of(std::span<const std::int64_t> pivots, std::int64_t first);

/// Consecutive entries of a list that belong to one process row.
struct Interval {
  std::int64_t begin = 0, count = 0;
};

/// The part of a RowPermutation that process row `me` carries out; all rows are local ones. Pure.
///
/// The rows of U (those that become the diagonal block's) are collected grouped by the process row
/// that had them, so that what one process contributes is contiguous; `slot_of` puts them in order.
struct RowExchangePlan {
  int me = 0, owner_row = 0, processes = 1;
  std::int64_t width = 0;
  std::vector<Interval> u_parts;          ///< by process row: its slots among the `width` rows of U
  std::vector<std::int64_t> u_rows;       ///< my rows that become rows of U, in slot order
  std::vector<std::int64_t> slot_of;      ///< slot of row t of U
  std::vector<Interval> displaced_parts;  ///< by process row: displaced rows that move there
  std::vector<std::int64_t> displaced_from;  ///< on the owner row: local rows, grouped by receiver
  std::vector<std::int64_t> displaced_to;    ///< rows here that receive them, in the sender's order
};

RowExchangePlan plan_row_exchange(const RowPermutation& permutation, const RowMap& rows,
                                  std::int64_t first);

/// The ways from rows of U to rows of U12 = L11^-1 U on every process of the column.
enum class SolveSite {
  Everywhere,  ///< U reaches every process, and each solves it all
  Divided      ///< a process gets some columns of all of U, solves them, and passes them round
};
/// Divided where line 30 of HPL.dat asks for equal parts of the long swap.
SolveSite solve_site(SwapVariant variant, bool equilibrate);

/// The columns of a chunk distributed to the processes of a column, in runs of 16 for the sake of
/// the products: by process, possibly none.
std::vector<Interval> column_pieces(std::int64_t columns, int processes);

/// The places of the rows of an exchange of `columns` columns in its communication buffer, counted
/// in elements. All blocks are dense, by rows.
///
/// Everywhere: `width` rows of U by slots. Divided: my rows of U, a block for the columns of each
/// process; then `piece`, my columns of all rows by slots. The solved blocks, one for the columns
/// of each process, lie from 0 on when all of this has been read.
struct ExchangeBuffer {
  std::int64_t piece = 0;
  std::int64_t outgoing = 0;  ///< displaced rows that leave the owner row
  std::int64_t incoming = 0;  ///< displaced rows that arrive here
  std::int64_t size = 0;
};
ExchangeBuffer exchange_buffer(const RowExchangePlan& plan, SolveSite place, std::int64_t columns);
/// Elements of that buffer for each column, at most.
constexpr std::int64_t exchange_buffer_rows(std::int64_t width) {
  // Rows of U that are mine, and as many displaced ones or `width` altogether; a piece of U.
  return 3 * width;
}

/// Messages that bring every row of U to every process, and displaced rows straight from the owner
/// row to their new homes: SolveSite::Everywhere.
///  - SpreadRoll: rolled around the ring, P - 1 steps (netlib HPL_pdlaswp01);
///  - BinaryExchange: by recursive doubling, about log2 P steps (netlib HPL_pdlaswp00).
/// Mix must have been resolved, see resolve_swap.
mpi::Schedule row_exchange_schedule(const RowExchangePlan& plan, SwapVariant variant,
                                    std::int64_t columns);
/// Messages that spread U, to every process its columns, and move displaced rows; and those that
/// roll the solved blocks around the ring: SolveSite::Divided.
mpi::Schedule spread_schedule(const RowExchangePlan& plan, std::int64_t columns);
mpi::Schedule roll_schedule(const RowExchangePlan& plan, std::int64_t columns);

/// The process rows that process row `rank` of `size` sends to or receives from in the exchanges of
/// a run, ascending: all others, since displaced rows go straight from the owner of each diagonal
/// block to their new homes. Pure.
std::vector<int> row_exchange_peers(int rank, int size);

/// The variant used for `columns` columns: Mix is binary exchange up to the threshold.
SwapVariant resolve_swap(SwapVariant variant, std::int64_t threshold, std::int64_t columns);

}  // namespace hpl
