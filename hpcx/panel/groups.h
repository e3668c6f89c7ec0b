#pragma once

#include "panel/peers.h"

/// Groups of devices that do not reach each other's memory factorize one panel together here. The
/// devices of a group work as in peers.h; groups tell each other what they found through pinned
/// memory of their hosts, which carry it as it is.
///
/// A column: when all blocks of a group have offered their candidates, a block of its first member
/// puts the best one, with its row, into the outbox, one message for all other groups. On each
/// device one block fetches the messages of the other groups from the host's inbox, since the way
/// there is narrow, and all blocks take the best of all from what it brought.
///
/// The rules of peers.h hold with few words more. Words carry their step, so that hosts and
/// blocks know from the words alone that a message is complete. Two places for messages suffice: a
/// group's message of one column says that all of its blocks have offered candidates for it, which
/// each did after its last look at the messages of the column before; the message after that is
/// written when the messages of all groups for this column are there. Moved rows have one place:
/// between two exchanges lies a column, whose messages say that all blocks of all groups are done
/// with the rows of the first. They are many, and go without stamps: blocks flag that theirs have
/// left, hosts that all of a member's have arrived.
namespace hpcx::HPCX_GPU_NAMESPACE {

class GroupExchange : public PeerExchange {
 public:
  static constexpr bool kHasGroups = true;

  __device__ __forceinline__ GroupExchange(const PanelWindow& window, const PanelTeam& team)
      : PeerExchange(window, team) {}

  // Slots beyond those of the group's members are the messages of groups.
  __device__ __forceinline__ int slot_of(const PanelWindow& window, int name) const {
    const int group = group_of(holder(name));
    return group == own_group() ? PeerExchange::slot_of(window, name) : kMessageSlots + group;
  }
  __device__ __forceinline__ std::uint64_t* row(unsigned step, int slot) const {
    return slot < kMessageSlots ? PeerExchange::row(step, slot)
                                : message_from(slot - kMessageSlots, step) + kHeaderWords;
  }
  __device__ __forceinline__ std::uint64_t* displaced_row(unsigned step, int slot) const {
    return slot < kMessageSlots
               ? PeerExchange::displaced_row(step, slot)
               : message_from(slot - kMessageSlots, step) + kHeaderWords + kRowWords;
  }

  __device__ __forceinline__ int groups() const { return team_.groups; }
  __device__ __forceinline__ int group_of(int member) const { return team_.group_of[member]; }
  __device__ __forceinline__ int own_group() const { return group_of(team_.me); }
  __device__ __forceinline__ bool leads_group() const { return me() == 0; }
  __device__ __forceinline__ int member() const { return team_.me; }
  __device__ __forceinline__ static bool in_own_group(int slot) { return slot < kMessageSlots; }

  /// A message in the host's inbox, and where a block has brought it in this device's memory.
  __device__ __forceinline__ const std::uint64_t* inbox_message(int group, unsigned step) const {
    return team_.inbox + inbox_message_at(team_.groups, group, step);
  }
  __device__ __forceinline__ std::uint64_t* message_from(int group, unsigned step) const {
    return team_.messages + inbox_message_at(team_.groups, group, step);
  }
  __device__ __forceinline__ std::uint64_t* own_message(unsigned step) const {
    return team_.outbox + (step & 1u) * kMessageWords;
  }

  /// A moved row among those that one member sends to other groups.
  struct RowMessage {
    int from = -1;  ///< the member; negative: the row does not go by message
    int index = 0;  ///< of `count` rows
    int count = 0;
    bool arrives = false;  ///< from another group than this one

    __device__ __forceinline__ bool is_for_here() const { return arrives; }
  };
  template <int Width>
  __device__ __forceinline__ RowMessage message_of(int slot, const PanelShared& shared) const {
    RowMessage message{.from = shared.message_from[slot]};
    if (message.from < 0) return message;
    message.arrives = group_of(message.from) != own_group();
    for (int other = 0; other < 2 * Width; ++other) {
      if (shared.message_from[other] != message.from) continue;
      if (other < slot) ++message.index;
      ++message.count;
    }
    return message;
  }
  __device__ __forceinline__ void send(const RowMessage& message, int col, double value) const {
    reinterpret_cast<double*>(
        team_.outbox)[kOutboxRowsAt + static_cast<std::int64_t>(col) * message.count +
                      message.index] = value;
  }
  __device__ __forceinline__ double arrived(const RowMessage& message, int col) const {
    return load_from_host(reinterpret_cast<const double*>(team_.inbox) +
                          inbox_rows_at(team_.groups, message.from, team_.message_cols) +
                          static_cast<std::int64_t>(col) * message.count + message.index);
  }
  /// The block's elements of all `rows` have left; by a thread that knows all others to be done.
  __device__ __forceinline__ void rows_have_left(const BlockPosition& place, int rows,
                                                 unsigned step) const {
    SystemScope::fence();
    const std::uint64_t word = stamped(static_cast<unsigned>(rows), step);
    SystemScope::publish(team_.outbox + kOutboxFlagsAt + 2 * place.block(), {word, word});
  }
  /// All rows of all other groups' members have arrived.
  __device__ __forceinline__ void await_rows(const BlockPosition& place, unsigned step) const {
    const int member = place.thread();
    if (member < team_.members && group_of(member) != own_group()) {
      const std::uint64_t* flag = team_.inbox + inbox_flag_at(team_.groups, member);
      while (!has_stamp(SystemScope::observe(flag).x, step)) {
      }
      SystemScope::fence();
    }
    __syncthreads();
  }

 private:
  static constexpr int kMessageSlots = kMaxGroupMembers * kMaxTeamBlocks;
};

__device__ __forceinline__ void copy_value(const std::uint64_t* from, std::uint64_t* to,
                                           unsigned step) {
  publish_value<SystemScope>(to, await_value<SystemScope>(from, step), step);
}

/// A thread's part in a message. The parts of a message come and go at the same time.
template <int Width>
struct MessagePart {
  enum class Kind { None, Header, CandidateRow, DisplacedRow };
  Kind kind = Kind::None;
  int element = 0;

  __device__ __forceinline__ explicit MessagePart(const BlockPosition& place) {
    constexpr int kHalf = kPanelThreads / 2;
    static_assert(Width < kHalf);
    element = place.thread() % kHalf;
    if (element < Width)
      kind = place.thread() < kHalf ? Kind::CandidateRow : Kind::DisplacedRow;
    else if (place.thread() == kPanelThreads - 1)
      kind = Kind::Header;
  }
  /// Of a message's words.
  __device__ __forceinline__ int at() const {
    return kHeaderWords + (kind == Kind::DisplacedRow ? kRowWords : 0) + 2 * element;
  }
};

/// Puts the group's message into the outbox; by one block.
template <int Width>
__device__ __forceinline__ void post_message(const GroupExchange& exchange,
                                             const BlockPosition& place,
                                             const PivotMeeting& meeting, const Candidate& best) {
  using Kind = typename MessagePart<Width>::Kind;
  const MessagePart<Width> part(place);
  const unsigned step = meeting.step;
  std::uint64_t* const message = exchange.own_message(step);
  const int displaced = exchange.slot_of(place.window, meeting.column);
  if (part.kind == Kind::Header)
    publish_candidate<SystemScope>(message, best, step);
  else if (part.kind == Kind::CandidateRow && best.row_complement != 0)
    copy_value(exchange.row(step, exchange.slot_of(place.window, best.row())) + 2 * part.element,
               message + part.at(), step);
  else if (part.kind == Kind::DisplacedRow && exchange.in_own_group(displaced))
    copy_value(exchange.displaced_row(step, displaced) + 2 * part.element, message + part.at(),
               step);
}

/// Brings the messages of the other groups into the device's memory; by one block.
template <int Width>
__device__ __forceinline__ void fetch_messages(const GroupExchange& exchange,
                                               const BlockPosition& place,
                                               const PivotMeeting& meeting) {
  using Kind = typename MessagePart<Width>::Kind;
  const MessagePart<Width> part(place);
  const unsigned step = meeting.step;
  const int displacing = exchange.group_of(exchange.holder(meeting.column));
  for (int group = 0; group < exchange.groups(); ++group) {
    if (group == exchange.own_group()) continue;
    const std::uint64_t* const from = exchange.inbox_message(group, step);
    std::uint64_t* const to = exchange.message_from(group, step);
    if (part.kind == Kind::Header || part.kind == Kind::CandidateRow) {
      const Candidate best = await_candidate<SystemScope>(from, step);
      if (part.kind == Kind::Header)
        publish_candidate<SystemScope>(to, best, step);
      else if (best.row_complement != 0)
        copy_value(from + part.at(), to + part.at(), step);
    } else if (part.kind == Kind::DisplacedRow && group == displacing) {
      copy_value(from + part.at(), to + part.at(), step);
    }
  }
}

/// The best of all groups' candidates, in all threads, where `of_group` is the own one's.
template <int Width>
__device__ __forceinline__ Candidate best_of_groups(const GroupExchange& exchange,
                                                    const BlockPosition& place,
                                                    const PivotMeeting& meeting,
                                                    Candidate of_group) {
  if (place.block() == 0) {
    if (exchange.leads_group()) post_message<Width>(exchange, place, meeting, of_group);
    fetch_messages<Width>(exchange, place, meeting);
  }
  Candidate best = of_group;
  const int group = place.thread();
  if (group < exchange.groups() && group != exchange.own_group())
    best = await_candidate<SystemScope>(exchange.message_from(group, meeting.step), meeting.step);
  return reduce_block(place, best, place.shared.of_warp);
}

/// Puts into the outbox what members of other groups await of an exchange of rows, before anything
/// moves, and returns when what they sent is in the inbox. `step` is the last column's.
template <int Width>
__device__ __forceinline__ void send_rows(const GroupExchange& exchange, const BlockPosition& place,
                                          PanelColumns columns, unsigned step) {
  constexpr int kSlots = 2 * Width;
  constexpr int kAtOnce = kPanelThreads / kSlots;
  PanelShared& shared = place.shared;
  const int others = place.window.cols - columns.count;
  if (others == 0) return;
  const int slot = place.thread() % kSlots;
  const RowMove move = row_move<Width>(exchange, shared, columns, slot);
  if (place.thread() < kSlots) {
    const int from = exchange.holder(move.source);
    const bool by_message = move.moves && (move.receiver < 0 || exchange.group_of(move.receiver) !=
                                                                    exchange.group_of(from));
    shared.message_from[slot] = by_message ? from : -1;
  }
  __syncthreads();
  const auto message = exchange.template message_of<Width>(slot, shared);
  if (message.from == exchange.member())
    for (int other = place.block() * kAtOnce + place.thread() / kSlots; other < others;
         other += place.blocks() * kAtOnce) {
      const int col = columns.outside(other);
      exchange.send(message, col, load_shared_by_grid(place.element(move.source_row, col)));
    }
  __syncthreads();
  if (place.thread() == 0) {
    int rows = 0;
    for (int other = 0; other < kSlots; ++other)
      rows += shared.message_from[other] == exchange.member();
    exchange.rows_have_left(place, rows, step);
  }
  exchange.await_rows(place, step);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
