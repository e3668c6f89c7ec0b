#pragma once

#include "panel/peers.h"

/// Groups of devices that do not reach each other's memory factorize one panel together here. The
/// devices of a group work as in peers.h. Groups exchange messages through pinned memory of their
/// hosts.
///
/// A column: when all blocks of a group have offered their candidates, a block of its first member
/// puts the best one, with its row, into the outbox. The hosts of the first members agree on the
/// best candidate of all groups and put it, with its row and the row to be displaced, into the
/// inbox. The same block fetches this message, since the way to the host is narrow, and passes it
/// on to the mailboxes of all members. All blocks take it from there.
///
/// The rules of peers.h hold with few words more. Words carry their step, so that hosts and
/// blocks know from the words alone that a message is complete. Two places for messages suffice: a
/// group's message of one column says that all of its blocks have offered candidates for it, which
/// each did after its last look at the message of the column before. The message after that is
/// written when the groups have agreed on this column.
///
/// Moved rows have one place: between two exchanges lies a column, whose messages say that all
/// blocks of all groups are done with the rows of the first. A row goes to one member of each group
/// that awaits it, and this member passes it on to the others. One block tells the host which rows
/// move where, blocks flag that their parts have left, and the host flags that all awaited rows
/// have arrived. It does so on every member, also on one that sends and awaits no row: the words
/// that tell it the moves have one place too.
namespace hpcx::HPCX_GPU_NAMESPACE {

class GroupExchange : public PeerExchange {
 public:
  static constexpr bool kHasGroups = true;

  __device__ __forceinline__ GroupExchange(const PanelWindow& window, const PanelTeam& team)
      : PeerExchange(window, team) {}

  // The slot beyond those of the group's members is the message of the groups.
  __device__ __forceinline__ int slot_of(const PanelWindow& window, int name) const {
    return in_own_group(holder(name)) ? PeerExchange::slot_of(window, name) : kMessageSlot;
  }
  __device__ __forceinline__ std::uint64_t* row(unsigned step, int slot) const {
    return slot < kMessageSlot ? PeerExchange::row(step, slot) : message(step) + kHeaderWords;
  }
  __device__ __forceinline__ std::uint64_t* displaced_row(unsigned step, int slot) const {
    return slot < kMessageSlot ? PeerExchange::displaced_row(step, slot)
                               : message(step) + kHeaderWords + kRowWords;
  }

  __device__ __forceinline__ int group_of(int member) const { return team_.group_of[member]; }
  __device__ __forceinline__ bool in_own_group(int member) const {
    return group_of(member) == group_of(team_.me);
  }
  __device__ __forceinline__ bool leads_group() const { return me() == 0; }
  __device__ __forceinline__ int member() const { return team_.me; }

  /// The own group's message in the host's outbox, that of all groups in its inbox, and the place
  /// of the latter in this device's memory. publish() finds the same place on all members.
  __device__ __forceinline__ std::uint64_t* own_message(unsigned step) const {
    return team_.outbox + (step & 1u) * kMessageWords;
  }
  __device__ __forceinline__ const std::uint64_t* inbox_message(unsigned step) const {
    return team_.inbox + (step & 1u) * kMessageWords;
  }
  __device__ __forceinline__ std::uint64_t* message(unsigned step) const {
    return own() + team_message_at(team_.group_size, step);
  }
  __device__ __forceinline__ void pass_on_header(const Candidate& best, unsigned step) const {
    for (int to = 0; to < team_.group_size; ++to)
      publish_candidate<Scope>(team_.mailboxes[to] + team_message_at(team_.group_size, step), best,
                               step);
  }

  /// A moved row among those that one member sends to other groups.
  struct RowMessage {
    int from = -1;  ///< the member; negative: the row does not go by message
    int index = 0;  ///< of `count` rows
    int count = 0;
    int before = 0;        ///< rows of members with lower numbers
    bool arrives = false;  ///< at this member

    __device__ __forceinline__ bool is_for_here() const { return arrives; }
  };
  template <int Width>
  __device__ __forceinline__ RowMessage message_of(int slot, const PanelShared& shared) const {
    const MovedRow row = shared.moved_rows[slot];
    RowMessage message{.from = row.from};
    if (message.from < 0) return message;
    message.arrives = !in_own_group(row.from) && (row.to < 0 || in_own_group(row.to)) &&
                      relay_in_group(row.from, team_.group_size) == me();
    for (int other = 0; other < 2 * Width; ++other) {
      const int from = shared.moved_rows[other].from;
      if (from == message.from) {
        if (other < slot) ++message.index;
        ++message.count;
      } else if (from >= 0 && from < message.from) {
        ++message.before;
      }
    }
    return message;
  }
  __device__ __forceinline__ void send(const RowMessage& message, int col, double value) const {
    reinterpret_cast<double*>(
        team_.outbox)[kOutboxRowsAt + static_cast<std::int64_t>(col) * message.count +
                      message.index] = value;
  }
  __device__ __forceinline__ double arrived(const RowMessage& message, int col) const {
    return load_from_host(reinterpret_cast<const double*>(team_.inbox) + kInboxRowsAt +
                          static_cast<std::int64_t>(message.before) * cols_ +
                          static_cast<std::int64_t>(col) * message.count + message.index);
  }
  __device__ __forceinline__ void tell_move(int slot, const MovedRow& row, unsigned step) const {
    SystemScope::publish(team_.outbox + kOutboxMovesAt + 2 * slot,
                         {stamped(static_cast<unsigned>(row.from + 1), step),
                          stamped(static_cast<unsigned>(row.to + 1), step)});
  }
  /// The block's elements of all moved rows have left; by a thread that knows all others to be
  /// done.
  __device__ __forceinline__ void rows_have_left(const BlockPosition& place, unsigned step) const {
    SystemScope::fence();
    const std::uint64_t word = stamped(0, step);
    SystemScope::publish(team_.outbox + kOutboxFlagsAt + 2 * place.block(), {word, word});
  }
  /// All rows that this member receives have arrived.
  __device__ __forceinline__ void await_rows(const BlockPosition& place, unsigned step) const {
    if (place.thread() == 0) {
      while (!has_stamp(SystemScope::observe(team_.inbox + kInboxFlagAt).x, step)) {
      }
      SystemScope::fence();
    }
    __syncthreads();
  }

 private:
  static constexpr int kMessageSlot = kMaxGroupMembers * kMaxTeamBlocks;
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
  const bool displaces = exchange.in_own_group(exchange.holder(meeting.column));
  if (part.kind == Kind::Header)
    publish_candidate<SystemScope>(message, best, step);
  else if (part.kind == Kind::CandidateRow && best.row_complement != 0)
    copy_value(exchange.row(step, exchange.slot_of(place.window, best.row())) + 2 * part.element,
               message + part.at(), step);
  else if (part.kind == Kind::DisplacedRow && displaces)
    copy_value(exchange.displaced_row(step, exchange.slot_of(place.window, meeting.column)) +
                   2 * part.element,
               message + part.at(), step);
}

/// Brings the message of all groups into the memory of the group's members; by one block. Rows of
/// the own group are there already.
template <int Width>
__device__ __forceinline__ void pass_on_message(const GroupExchange& exchange,
                                                const BlockPosition& place,
                                                const PivotMeeting& meeting) {
  using Kind = typename MessagePart<Width>::Kind;
  const MessagePart<Width> part(place);
  const unsigned step = meeting.step;
  const std::uint64_t* const from = exchange.inbox_message(step);
  const auto pass_on_element = [&] {
    exchange.publish(exchange.message(step) + part.at(),
                     await_value<SystemScope>(from + part.at(), step), step);
  };
  if (part.kind == Kind::Header || part.kind == Kind::CandidateRow) {
    const Candidate best = await_candidate<SystemScope>(from, step);
    if (part.kind == Kind::Header)
      exchange.pass_on_header(best, step);
    else if (!exchange.in_own_group(exchange.holder(best.row())))
      pass_on_element();
  } else if (part.kind == Kind::DisplacedRow &&
             !exchange.in_own_group(exchange.holder(meeting.column))) {
    pass_on_element();
  }
}

/// The best of all groups' candidates, known to the first warp, where `of_group` is the own one's.
template <int Width>
__device__ __forceinline__ Candidate best_of_groups(const GroupExchange& exchange,
                                                    const BlockPosition& place,
                                                    const PivotMeeting& meeting,
                                                    const Candidate& of_group) {
  if (place.block() == 0 && exchange.leads_group()) {
    post_message<Width>(exchange, place, meeting, of_group);
    pass_on_message<Width>(exchange, place, meeting);
  }
  if (place.warp() > 0) return of_group;
  return await_candidate<SystemScope>(exchange.message(meeting.step), meeting.step);
}

/// Puts the rows that other groups await into the outbox, before anything moves, and returns when
/// the rows that this member receives are in the inbox. `step` is the last column's.
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
    MovedRow row{.from = exchange.holder(move.source), .to = move.receiver};
    const bool by_message =
        move.moves && (row.to < 0 || exchange.group_of(row.to) != exchange.group_of(row.from));
    if (!by_message) row.from = -1;
    shared.moved_rows[slot] = row;
    if (place.block() == 0) exchange.tell_move(slot, row, step);
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
    bool sends = false;
    for (int other = 0; other < kSlots; ++other)
      sends = sends || shared.moved_rows[other].from == exchange.member();
    if (sends) exchange.rows_have_left(place, step);
  }
  exchange.await_rows(place, step);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
