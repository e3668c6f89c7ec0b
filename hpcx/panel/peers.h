#pragma once

#include "panel/exchange.h"
#include "panel/shared.h"
#include "panel/update.h"

/// Blocks of several devices that reach each other's memory factorize one panel together here. All
/// devices cut their rows in the same way, and launch the same number of blocks.
///
/// Everything that passes between devices is a stamped word in the mailbox of the one that awaits
/// it, so that no fence and no barrier ever spans devices; meetings are a device's own. Four rules
/// take their place.
///
/// 1. Steps of columns alternate in parity, which is why a meeting takes two steps and a launch
///    ends on the parity of its columns. Two places for each word of a column then suffice, as on
///    one device: a block publishes a word of one column only after all blocks of all members have
///    offered candidates for the column before, which each did after its last look at the words of
///    the column before that. Blocks that a later launch does without have ended by then: the
///    launches of a device follow one another.
/// 2. A word that nobody may ever read (the row of a candidate that loses, a displaced row on all
///    devices but one) has a place that only one block of one member writes to. Stores of different
///    devices are not ordered, and an old one must not arrive after a new one.
/// 3. Words of the row exchange are written by whoever holds the row or receives its message, but
///    only to members that await them. Between two exchanges there is a column: the next word for
///    the same place is written after its reader has offered a candidate, which it did after it had
///    read the last.
/// 4. Only the offer of a leaf's last column and the meetings make matrix elements visible, to
///    blocks of the same device.
namespace hpcx::HPCX_GPU_NAMESPACE {

class PeerExchange {
 public:
  using Scope = SystemScope;
  static constexpr bool kHasPeers = true;
  static constexpr bool kHasGroups = false;
  static constexpr unsigned kMeetSteps = kTeamMeetSteps;

  __device__ __forceinline__ PeerExchange(const PanelWindow& window, const PanelTeam& team)
      : team_(team), cols_(window.cols) {}

  // Names of rows: see PanelTeam.
  __device__ __forceinline__ bool holds_top() const { return team_.me == team_.owner; }
  /// Top rows that are copies are no candidates.
  __device__ __forceinline__ int first_candidate(int column) const {
    return holds_top() ? column : cols_;
  }
  __device__ __forceinline__ int name_of(int row) const {
    return row < cols_ ? row : row + team_.me * team_.most_rows;
  }
  __device__ __forceinline__ int local_row(int name) const {
    if (name < cols_) return holds_top() ? name : -1;
    const int row = name - team_.me * team_.most_rows;
    return row >= cols_ && row < team_.most_rows ? row : -1;
  }
  __device__ __forceinline__ int holder(int name) const {
    return name < cols_ ? team_.owner : name / team_.most_rows;
  }

  __device__ __forceinline__ int own_slot(const BlockPosition& place) const {
    return slot(me(), place.block());
  }
  __device__ __forceinline__ int slot_of(const PanelWindow& window, int name) const {
    const int member = holder(name);
    const int row = name < cols_ ? name : name - member * team_.most_rows;
    return slot(in_group(member), block_of(row - window.first, window.block_factor));
  }

  __device__ __forceinline__ void offer(const BlockPosition& place, Candidate of_block,
                                        const PivotMeeting& meeting) const {
    const int to = place.thread();
    if (to >= team_.group_size) return;
    if (meeting.last()) DeviceScope::fence();
    if (of_block.row_complement != 0)
      of_block.row_complement = ~static_cast<unsigned>(name_of(of_block.row()));
    publish_candidate<Scope>(candidate(team_.mailboxes[to], meeting.step, own_slot(place)),
                             of_block, meeting.step);
  }

  /// The best of all blocks' candidates on all group_size, in all threads; its row is a name.
  __device__ __forceinline__ Candidate best(const BlockPosition& place,
                                            const PivotMeeting& meeting) const {
    Candidate best;
    for (int i = place.thread(); i < team_.group_size * place.blocks(); i += kPanelThreads) {
      const int from = slot(i / place.blocks(), i % place.blocks());
      const Candidate other =
          await_candidate<Scope>(candidate(own(), meeting.step, from), meeting.step);
      if (best.below(other)) best = other;
    }
    if (meeting.last()) DeviceScope::fence();
    return reduce_block(place, best, place.shared.of_grid);
  }

  /// Place of a block's candidate row, and of the row that it loses. publish() finds the same place
  /// on all members.
  __device__ __forceinline__ std::uint64_t* row(unsigned step, int slot) const {
    return parity(own(), step) + team_.group_size * kMaxTeamBlocks * kHeaderWords +
           slot * (2 * kRowWords);
  }
  __device__ __forceinline__ std::uint64_t* displaced_row(unsigned step, int slot) const {
    return row(step, slot) + kRowWords;
  }
  __device__ __forceinline__ std::uint64_t* own_row(const BlockPosition& place,
                                                    unsigned step) const {
    return row(step, own_slot(place));
  }
  __device__ __forceinline__ std::uint64_t* own_displaced_row(const BlockPosition& place,
                                                              unsigned step) const {
    return displaced_row(step, own_slot(place));
  }
  __device__ __forceinline__ void publish(std::uint64_t* to, double value, unsigned step) const {
    const std::int64_t place = to - own();
    for (int i = 0; i < team_.group_size; ++i)
      publish_value<Scope>(team_.mailboxes[i] + place, value, step);
  }

  /// The element of column `col` that goes to `index` in an exchange of rows, on its way to a
  /// member of the group.
  __device__ __forceinline__ std::uint64_t* moved(int to, int col, int index) const {
    return team_.mailboxes[to] + team_rows_at(team_.group_size) +
           static_cast<std::int64_t>(col) * kTeamRowWords + 2 * index;
  }
  /// All members' memory is within reach: no message.
  struct NoMessage {
    __device__ __forceinline__ static constexpr bool is_for_here() { return false; }
  };
  template <int Width>
  __device__ __forceinline__ static NoMessage message_of(int, const PanelShared&) {
    return {};
  }
  __device__ __forceinline__ static double arrived(NoMessage, int) { return 0; }

  /// The number of a member in the own group, from 0; of another group's, beyond them or negative.
  __device__ __forceinline__ int in_group(int member) const { return member - team_.group_begin; }
  __device__ __forceinline__ int me() const { return in_group(team_.me); }
  __device__ __forceinline__ int group_size() const { return team_.group_size; }

  /// All blocks of this device have arrived, and see what each wrote before.
  __device__ __forceinline__ void meet(const BlockPosition& place, unsigned step) const {
    meet_through(reinterpret_cast<unsigned*>(own() + 2 * team_parity_words(team_.group_size)),
                 place, step);
  }

 protected:
  __device__ __forceinline__ static int slot(int number, int block) {
    return number * kMaxTeamBlocks + block;
  }

  __device__ __forceinline__ std::uint64_t* own() const { return team_.mailboxes[me()]; }

  const PanelTeam& team_;
  int cols_;

 private:
  __device__ __forceinline__ std::uint64_t* parity(std::uint64_t* mailbox, unsigned step) const {
    return mailbox + (step & 1u) * team_parity_words(team_.group_size);
  }
  __device__ __forceinline__ std::uint64_t* candidate(std::uint64_t* mailbox, unsigned step,
                                                      int slot) const {
    return parity(mailbox, step) + slot * kHeaderWords;
  }
};

/// A thread's part in an exchange of rows: the row it moves, named and here, and its destination.
struct RowMove {
  bool moves = false;
  int source = 0;       ///< name of the row that moves
  int source_row = -1;  ///< its place here; negative: elsewhere
  int target_row = -1;  ///< its target here; negative: elsewhere, or nowhere
  int receiver = -1;    ///< the member that holds the target; negative: every member, its top rows
};

/// The move number `slot`, of 2 Width: first those to the top rows, then those to pivot rows.
template <int Width, class Exchange>
__device__ __forceinline__ RowMove row_move(const Exchange& exchange, const PanelShared& shared,
                                            PanelColumns columns, int slot) {
  const auto [top, count] = columns;
  const int index = slot % Width;
  const bool to_top = slot < Width;
  const int target = index >= count ? 0 : to_top ? top + index : shared.pivots[index];
  RowMove move{.source = row_before(target, columns, shared)};
  // A pivot that is one of the top rows is another slot's business.
  move.moves = index < count && (to_top || target >= top + count);
  if (!move.moves) return move;
  move.source_row = exchange.local_row(move.source);
  move.target_row = to_top ? target : exchange.local_row(target);
  move.receiver = to_top ? -1 : exchange.holder(target);
  return move;
}

/// As exchange_rows(): every member's rows top, top + 1, ... become what the exchanges bring there,
/// the members' own rows what they bring to these. The holder of a row, or the member that its
/// message reached, sends it to those of its group that await it; a column is the business of the
/// same block on all members. `step` is the last column's.
template <int Width, class Exchange>
__device__ __forceinline__ void exchange_rows_with_peers(const Exchange& exchange,
                                                         const BlockPosition& place,
                                                         PanelColumns columns, unsigned step) {
  constexpr int kSlots = 2 * Width;
  constexpr int kAtOnce = kPanelThreads / kSlots;
  constexpr int kDeep = 8;
  const int slot = place.thread() % kSlots;
  const RowMove move = row_move<Width>(exchange, place.shared, columns, slot);
  const bool writes = move.target_row >= 0 && move.target_row != move.source_row;
  const auto message = exchange.template message_of<Width>(slot, place.shared);
  const bool brings = move.source_row >= 0 || message.is_for_here();
  const int others = place.window.cols - columns.count;
  const int stride = place.blocks() * kAtOnce;
  for (int base = place.block() * kAtOnce; base < others; base += kDeep * stride) {
    double value[kDeep];
#pragma unroll
    for (int i = 0; i < kDeep; ++i) {
      const int other = base + i * stride + place.thread() / kSlots;
      const int col = columns.outside(other);
      if (other >= others) continue;
      if (move.source_row >= 0)
        value[i] = load_shared_by_grid(place.element(move.source_row, col));
      else if (message.is_for_here())
        value[i] = exchange.arrived(message, col);
    }
    for (int to = 0; to < exchange.group_size(); ++to) {
      const bool awaited = move.receiver < 0 || exchange.in_group(move.receiver) == to;
      if (!brings || to == exchange.me() || !awaited) continue;
#pragma unroll
      for (int i = 0; i < kDeep; ++i) {
        const int other = base + i * stride + place.thread() / kSlots;
        const int col = columns.outside(other);
        if (other < others)
          publish_value<PeerExchange::Scope>(exchange.moved(to, col, slot), value[i], step);
      }
    }
    // Another thread's source is this one's target.
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kDeep; ++i) {
      const int other = base + i * stride + place.thread() / kSlots;
      const int col = columns.outside(other);
      if (!writes || other >= others) continue;
      if (!brings)
        value[i] = await_value<PeerExchange::Scope>(exchange.moved(exchange.me(), col, slot), step);
      *place.element(move.target_row, col) = value[i];
    }
  }
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
