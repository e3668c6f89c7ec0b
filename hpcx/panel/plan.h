#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hpcx/panel.h"
#include "panel/words.h"
#include "vendor.h"

/// Division of a panel among the resident thread blocks of the panel kernel. Pure arithmetic.
namespace hpcx::HPCX_GPU_NAMESPACE {

inline constexpr int kPanelThreads = 256;
/// Doubles of the active columns that a thread keeps in registers.
inline constexpr int kRegisterElements = 64;
inline constexpr int kMaxRowsPerThread = 32;
inline constexpr int kMaxRowsPerBlock = kPanelThreads * kMaxRowsPerThread;
static_assert(kMaxRowsPerBlock == kPanelRowsPerUnit);
// A group's number has a byte.
static_assert(kMaxTeamMembers <= 256);
/// Fewer rows than this do not pay for one more block at every barrier.
inline constexpr int kMinRowsPerBlock = 128;
inline constexpr int kMaxPanelWindows = 64;
/// A cluster is the blocks that reach each other's shared memory.
inline constexpr int kMaxClusterBlocks = 16;
inline constexpr int kMaxClusterRowsPerThread = 2;  // with 4 the whole chip is faster

/// Settings of the panel solver; `make_panel_tuning` has the defaults.
struct PanelTuning {
  int blocks = 1;  ///< resident thread blocks, one a multiprocessor; more where a panel needs them
  int multiprocessors = 1;  ///< of the chip: never more blocks than these
  int window = 0;           ///< columns of one launch, a multiple of kLeafWidth; 0: the whole panel
  bool team = false;        ///< prepare for a team as well
  bool cooperative = false;  ///< let the driver vouch that all blocks are resident at once
  /// Panels that fit into the registers of one cluster of so many blocks (a power of two; 0: none)
  /// are factorized by it, in windows of cluster_window columns (0: the whole panel).
  int cluster_blocks = 0;
  int cluster_window = 0;
};

/// block_of(n, block_factor(rows_per_block)) is n / rows_per_block, which would take longer than
/// the kernel can spare in every column. The factor is too large by less than 1, so the quotient by
/// less than n / 2^48, which is less than 1 / rows_per_block; the product stays below 2^48 blocks.
inline constexpr int kBlockFactorBits = 48;
constexpr std::uint64_t block_factor(int rows_per_block) {
  const auto divisor = static_cast<std::uint64_t>(rows_per_block);
  return ((std::uint64_t{1} << kBlockFactorBits) + divisor - 1) / divisor;
}
constexpr int block_of(int row, std::uint64_t factor) {
  return static_cast<int>((static_cast<std::uint64_t>(row) * factor) >> kBlockFactorBits);
}

static_assert(std::int64_t{kMaxPanelBlocks} * kMaxRowsPerBlock * kMaxRowsPerBlock <
              std::int64_t{1} << kBlockFactorBits);
static_assert(block_of(3 * 7 - 1, block_factor(7)) == 2 && block_of(3 * 7, block_factor(7)) == 3);

/// One launch of the panel kernel: factorizes columns [first, last) of the panel, whose rows from
/// `first` on contain all earlier updates; exchanges the rows of all columns of the panel, and
/// leaves U in rows [first, last) of all columns to the right.
struct PanelWindow {
  double* a = nullptr;  ///< column-major
  std::int64_t ld = 1;
  int rows = 0, cols = 0;
  int first = 0, last = 0;
  int width = 1;  ///< of all windows
  /// Of each window: rows from `first` on contain the updates by columns < update_start.
  int update_start[kMaxPanelWindows] = {};
  int rows_per_block = 0;
  std::uint64_t block_factor = 0;  ///< block_factor(rows_per_block)
  std::int64_t* pivots = nullptr;
  std::int64_t* zero_column = nullptr;
  std::uint64_t* exchange = nullptr;  ///< kExchangeBytes, zero before the first launch
  unsigned sequence = 0;              ///< numbers below it have been used up to
};

/// The panel kernel's knowledge of its team. A row is known by its panel_row_id: below `cols` one
/// of the owner's, else member * most_rows + row.
struct PanelTeam {
  // The own group: members [group_begin, group_begin + group_size).
  std::uint64_t* mailboxes[kMaxGroupMembers] =
      {};  ///< of group_size, as this device addresses them
  int group_size = 1;
  int group_begin = 0;
  int me = 0;
  int owner = 0;
  int most_rows = 0;
  // With other groups: pinned host memory, laid out as below.
  unsigned char group_of[kMaxTeamMembers] = {};
  std::uint64_t* outbox = nullptr;
  std::uint64_t* inbox = nullptr;
};

/// Steps that a meeting of a team's member counts for: see peers.h.
inline constexpr unsigned kTeamMeetSteps = 2;

/// Steps of communication of one launch never exceed this, which is even.
constexpr unsigned sequence_steps(int columns) {
  return 4u * static_cast<unsigned>(columns) + 64u;
}

/// Columns of each window of a panel of `cols`: `window` (0: all) or, where those would be too many
/// windows, as few more as it takes.
constexpr int window_width(int cols, int window) {
  const auto in_leaves = [](int columns) {
    return (columns + kLeafWidth - 1) / kLeafWidth * kLeafWidth;
  };
  if (window == 0) return in_leaves(cols);
  return std::max(window, in_leaves((cols + kMaxPanelWindows - 1) / kMaxPanelWindows));
}
static_assert(window_width(1024, 64) == 64 && window_width(33, 0) == 64);
static_assert(window_width(kMaxPanelWindows * 64 + 1, 64) == 96);

struct RowSplit {
  int blocks = 1;
  int rows_per_block = 1;
  int rows_per_thread = 2;  ///< 2, 4, ... kMaxRowsPerThread; in a cluster 1, 2, 4
};

/// Splits `rows` rows among at most `limit` blocks, more where they would not fit into registers.
constexpr RowSplit split_rows(int rows, int limit) {
  const auto quotient = [](int a, int b) { return (a + b - 1) / b; };
  int blocks = std::clamp(quotient(rows, kMinRowsPerBlock), 1, limit);
  blocks = std::max(blocks, quotient(rows, kMaxRowsPerBlock));
  RowSplit split;
  split.rows_per_block = quotient(rows, blocks);
  split.blocks = quotient(rows, split.rows_per_block);
  while (split.rows_per_thread * kPanelThreads < split.rows_per_block)
    split.rows_per_thread *= 2;
  return split;
}

constexpr int max_cluster_rows(int blocks) {
  return blocks * kPanelThreads * kMaxClusterRowsPerThread;
}

/// Splits at most max_cluster_rows() among all blocks of a cluster; the last may own none.
constexpr RowSplit split_rows_in_cluster(int rows, int blocks) {
  RowSplit split{
      .blocks = blocks, .rows_per_block = (rows + blocks - 1) / blocks, .rows_per_thread = 1};
  while (split.rows_per_thread * kPanelThreads < split.rows_per_block)
    split.rows_per_thread *= 2;
  return split;
}

/// Columns that the registers hold at once when a thread owns that many rows.
constexpr int register_columns(int rows_per_thread) {
  return std::min(kRegisterElements / rows_per_thread, kLeafWidth);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
