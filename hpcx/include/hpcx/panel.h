#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hpcx/matrix_view.h"
#include "hpcx/memory.h"
#include "hpcx/stream.h"

namespace hpcx {

/// The distribution of a panel's rows over the members of a team; the same on all of them. The
/// team's panel is the owner's first `cols` rows (those of the diagonal block), then what every
/// member, in their order, has below its own first `cols` rows.
struct PanelPart {
  int owner = 0;               ///< the member whose first `cols` rows are the diagonal block's
  std::int64_t most_rows = 0;  ///< rows of the view on the member that has most
};

/// A row of a member's view of the panel.
struct PanelRow {
  int member = 0;
  std::int64_t row = 0;
  bool operator==(const PanelRow&) const = default;
};

/// The name of a row in the pivots of a team: one number, in the order of the team's panel.
constexpr std::int64_t panel_row_id(const PanelRow& row, std::int64_t cols,
                                    const PanelPart& share) {
  return row.row < cols ? row.row : row.row + row.member * share.most_rows;
}
/// The row that an id names. Ids below `cols` are rows of the diagonal block.
constexpr PanelRow panel_row(std::int64_t id, std::int64_t cols, const PanelPart& share) {
  if (id < cols) return {share.owner, id};
  return {static_cast<int>(id / share.most_rows), id % share.most_rows};
}

/// The messages of a column between the leaders of `groups` groups: `rounds` one after another. In
/// round r (from 0) the leader of group i sends to those of groups i + (d << r) modulo `groups`, d
/// = 1, 2, ... `sends`.
struct PivotRounds {
  /// Time of a further message of a round, as a share of the time of one message: docs/model.md.
  static constexpr double kFurtherMessage = 0.7;

  int rounds = 0;
  int sends = 0;

  /// Messages of all leaders.
  constexpr std::int64_t messages(int groups) const {
    return std::int64_t{groups} * rounds * sends;
  }
  /// Time of a column's messages, in times of one message.
  constexpr double latencies() const { return rounds * (1 + kFurtherMessage * (sends - 1)); }
};
/// Each leader to each other one at once or, where that takes longer, recursive doubling: after
/// round r a leader knows the candidates of 2^(r + 1) groups.
constexpr PivotRounds pivot_rounds(int groups) {
  if (groups < 2) return {};
  const PivotRounds flat{.rounds = 1, .sends = groups - 1};
  PivotRounds doubling{.sends = 1};
  while (1 << doubling.rounds < groups)
    ++doubling.rounds;
  return flat.latencies() <= doubling.latencies() ? flat : doubling;
}

/// The messages that hosts carry between groups that do not reach each other's memory, while
/// factorize_shared() is under way: exchange after exchange, the same on all members. Used by one
/// thread.
class PanelProxy {
 public:
  virtual ~PanelProxy() = default;

  enum class Exchange {
    Pivot,  ///< the leaders of all groups agree on the best candidate, in pivot_rounds()
    Rows    ///< members send moved rows to one member of each group that awaits them
  };
  /// Goes on to the next exchange of the panels enqueued so far, when all of the last one has
  /// arrived and left; empty when there is none.
  virtual std::optional<Exchange> next() = 0;

  virtual int members() const = 0;
  virtual int group_of(int member) const = 0;
  virtual bool leads(int member) const = 0;  ///< is the first of its group
  virtual int me() const = 0;

  /// Rows: true if the messages of the exchange are known. Asks memory, never waits. Not to be
  /// called again once it was true.
  virtual bool rows_known() = 0;
  /// Rows: true if `from` sends a message to `to`. Only once rows_known().
  virtual bool moves_rows(int from, int to) const = 0;

  /// True if this member's message is complete. Asks memory, never waits.
  virtual bool ready() = 0;
  /// Only when ready(), and the same until it is called again. Pivot: with the best candidate of
  /// those that had arrived by then.
  virtual std::span<const std::byte> message() const = 0;
  /// The place where the message of `member` arrives, exactly as long as the message.
  virtual std::span<std::byte> message_from(int member) = 0;
  /// The message of `member` is in its place.
  virtual void arrived(int member) = 0;
  /// All messages have arrived: the device takes them from here.
  virtual void finish() = 0;
};

inline constexpr int kMaxTeamMembers = 128;
/// Members that reach each other's memory, as far as a team makes use of it.
inline constexpr int kMaxGroupMembers = 8;

/// Rows of a view that one multiprocessor holds: in registers, since the kernel is resident.
inline constexpr std::int64_t kPanelRowsPerUnit = 8192;
/// Multiprocessors that a panel occupies at most: on one device by itself, and on each of a team.
inline constexpr int kMaxPanelBlocks = 512, kMaxTeamBlocks = 256;

/// Multiprocessors for a view of `rows` rows.
constexpr std::int64_t panel_units_for(std::int64_t rows) {
  return (rows + kPanelRowsPerUnit - 1) / kPanelRowsPerUnit;
}

/// A panel in device memory, and memory of the device for what its factorization finds.
struct Panel {
  MatrixView matrix{};  ///< ColumnMajor
  std::int64_t* pivots = nullptr;
  std::int64_t* zero_column = nullptr;
};

/// The members of a team, and what this one of them reaches.
struct PanelConnection {
  int me = 0;
  /// Numbers of adjacent members that reach each other's memory, group by group; their sum is the
  /// team's size.
  std::vector<int> groups;
  /// Of the members of the own group, as this device addresses them, the own one included.
  std::vector<void*> mailboxes;
};

/// LU factorization with partial pivoting of tall panels in device memory: of such that lie wholly
/// in one device, and, for a team of solvers, of such whose rows are distributed over several
/// devices. Owns its workspace; used by one stream at a time.
class PanelSolver {
 public:
  virtual ~PanelSolver() = default;

  /// matrix (rows x cols, rows >= 0, cols <= the width it was made for) := L and U of
  /// P matrix = L U, L unit lower, in place, row exchanges applied to whole rows of the panel.
  /// pivots[c] := the row (0-based, >= c) exchanged with row c at step c, c < min(rows, cols).
  /// *zero_column := the first column whose pivot is zero or NaN, -1 if there is none; such a
  /// column is left undivided. Asynchronous.
  virtual void factorize(StreamRef stream, const Panel& panel) = 0;

  /// Device memory that the other members of a team write to; empty where the solver was not made
  /// for a team. Keep the solver until the work of all members is done.
  virtual const Buffer& mailbox() const = 0;
  /// Makes the solver a member of a team, once and before any factorize_shared() of any member. All
  /// members' solvers are made to the same PanelSolverSpec.
  virtual void connect(const PanelConnection& connection) = 0;
  /// Null where the team is one group. Else somebody must carry the messages of every
  /// factorize_shared() on all members, or none of them ends.
  virtual PanelProxy* proxy() = 0;
  /// As factorize() for the team's panel, of which `panel` is the member's view: cols <= rows <=
  /// share.most_rows; contents of its first `cols` rows count on the owner alone. These rows hold
  /// L11 and U11 on every member afterwards. pivots[c] := the panel_row_id() of the row exchanged
  /// with row c of the diagonal block; pivots and zero column are the same on all members, and of
  /// equal candidates the first in the order of the team's panel wins.
  ///
  /// Collective over the team: every member calls it in the same order with the same cols and
  /// share, and none finishes before all have started. So nothing that a member's stream waits for
  /// may wait for another's panel. A host thread that serves several members issues all of their
  /// calls before it waits for any, with the code of everything it launches loaded already.
  virtual void factorize_shared(StreamRef stream, const Panel& panel, const PanelPart& share) = 0;
};

/// The panels that a solver is made for.
struct PanelSolverSpec {
  std::int64_t max_rows = 0;  ///< of a view; of a team's members, the one that has most
  std::int64_t max_cols = 0;
  /// Multiprocessors it may occupy; 0: the back end's own choice. What a team's member occupies
  /// waits for the others, so leave multiprocessors for what they may depend on.
  int compute_units = 0;
  int members = 1;     ///< of the largest team it may join, at most kMaxTeamMembers; 1: none
  int group_size = 1;  ///< of the largest group it may join, at most kMaxGroupMembers
};

}  // namespace hpcx
