#include "hpl/lu/broadcast/broadcast.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"

namespace hpl {
namespace {

using mpi::Message;
using mpi::Stage;

constexpr std::int64_t kAlignment = 8;  // a double is never cut

std::int64_t align_up(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct Range {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

Message send_to(int peer, const Range& part) {
  return {peer, part.offset, part.bytes, Message::Direction::Send};
}

Message receive_from(int peer, const Range& part) {
  return {peer, part.offset, part.bytes, Message::Direction::Receive};
}

int distance_of(const BroadcastShape& shape) {
  return (shape.rank - shape.root + shape.size) % shape.size;
}

int rank_at(const BroadcastShape& shape, int distance) {
  return (shape.root + distance) % shape.size;
}

Range whole(const BroadcastShape& shape) {
  return {0, shape.bytes};
}

// Distances [begin, end): the root sends to begin, which forwards to begin + 1, and so on.
struct Ring {
  int begin, end;
  bool contains(int distance) const { return begin <= distance && distance < end; }
};

struct Rings {
  bool next_owner_first;
  std::vector<Ring> rings;
};

Rings make_rings(int starts, bool next_owner_first, int size) {
  const int first = next_owner_first ? 2 : 1;
  if (starts == 1) return {next_owner_first, {{first, size}}};
  const int second = next_owner_first ? size / 2 + 1 : (size + 1) / 2;
  return {next_owner_first, {{first, second}, {second, size}}};
}

std::vector<Range> cut_into_segments(const BroadcastShape& shape) {
  const std::int64_t length = std::max(align_up(shape.segment_bytes), kAlignment);
  std::vector<Range> segments;
  for (std::int64_t offset = 0; offset < shape.bytes; offset += length)
    segments.push_back({offset, std::min(length, shape.bytes - offset)});
  return segments;
}

mpi::Schedule ring_root(const BroadcastShape& shape, const Rings& plan) {
  mpi::Schedule schedule;
  if (plan.next_owner_first)
    schedule.push_back({.messages = {send_to(rank_at(shape, 1), whole(shape))}});
  Stage feed{.after_sends = plan.next_owner_first};
  for (const Range& segment : cut_into_segments(shape))
    for (const Ring& ring : plan.rings)
      if (ring.begin < ring.end)
        feed.messages.push_back(send_to(rank_at(shape, ring.begin), segment));
  if (!feed.messages.empty()) schedule.push_back(std::move(feed));
  return schedule;
}

mpi::Schedule ring_member(const BroadcastShape& shape, const Ring& ring) {
  const int distance = distance_of(shape);
  const int previous = rank_at(shape, distance == ring.begin ? 0 : distance - 1);
  const int next = rank_at(shape, distance + 1);
  const bool forwards = distance + 1 < ring.end;

  // Segment i goes on while segment i + 1 comes in.
  mpi::Schedule schedule;
  std::optional<Range> arrived;
  for (const Range& segment : cut_into_segments(shape)) {
    Stage stage{.messages = {receive_from(previous, segment)}};
    if (forwards && arrived) stage.messages.push_back(send_to(next, *arrived));
    schedule.push_back(std::move(stage));
    arrived = segment;
  }
  if (forwards && arrived) schedule.push_back({.messages = {send_to(next, *arrived)}});
  return schedule;
}

mpi::Schedule ring_schedule(const BroadcastShape& shape, const Rings& plan) {
  const int distance = distance_of(shape);
  if (distance == 0) return ring_root(shape, plan);
  for (const Ring& ring : plan.rings)
    if (ring.contains(distance)) return ring_member(shape, ring);
  return {{.messages = {receive_from(rank_at(shape, 0), whole(shape))}}};
}

// Spread and roll over `count` members, member 0 being the root: who holds which pieces when.
class SpreadRoll {
 public:
  // `skipped`: members start at distance 1 + skipped from the root.
  SpreadRoll(const BroadcastShape& shape, int skipped)
      : shape_(shape),
        skipped_(skipped),
        count_(shape.size - skipped),
        piece_bytes_(align_up((shape.bytes + count_ - 1) / count_)) {
    const int distance = distance_of(shape);
    self_ = distance == 0 ? 0 : distance - skipped;
  }

  void append_to(mpi::Schedule& schedule) const {
    append_spread(schedule);
    append_roll(schedule);
  }

 private:
  int rank_of(int member) const { return rank_at(shape_, member == 0 ? 0 : member + skipped_); }

  // Bytes of pieces [begin, end); the last pieces of a short message are empty.
  Range pieces(int begin, int end) const {
    const std::int64_t from = std::min(begin * piece_bytes_, shape_.bytes);
    return {from, std::min(end * piece_bytes_, shape_.bytes) - from};
  }

  // Members of the binomial subtree below `member`: [member, member + reach), cut at the end.
  int reach(int member) const {
    return member == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(count_)))
                       : member & -member;
  }
  int subtree_end(int member) const { return std::min(member + reach(member), count_); }
  bool holds_after_spread(int member, int piece) const {
    return member <= piece && piece < subtree_end(member);
  }

  void append_spread(mpi::Schedule& schedule) const {
    const Range mine = pieces(self_, subtree_end(self_));
    if (self_ != 0 && mine.bytes > 0)
      schedule.push_back({.messages = {receive_from(rank_of(self_ - reach(self_)), mine)}});

    Stage stage;
    for (int step = reach(self_) / 2; step > 0; step /= 2) {
      const int child = self_ + step;
      if (child >= count_) continue;
      const Range part = pieces(child, subtree_end(child));
      if (part.bytes > 0) stage.messages.push_back(send_to(rank_of(child), part));
    }
    if (!stage.messages.empty()) schedule.push_back(std::move(stage));
  }

  void append_roll(mpi::Schedule& schedule) const {
    const int next = (self_ + 1) % count_;
    const int previous = (self_ - 1 + count_) % count_;
    for (int step = 1; step < count_; ++step) {
      const int outgoing = (self_ - step + 1 + count_) % count_;
      const int incoming = (self_ - step + count_) % count_;
      const Range out = pieces(outgoing, outgoing + 1);
      const Range in = pieces(incoming, incoming + 1);
      Stage stage;
      if (in.bytes > 0 && !holds_after_spread(self_, incoming))
        stage.messages.push_back(receive_from(rank_of(previous), in));
      if (out.bytes > 0 && !holds_after_spread(next, outgoing))
        stage.messages.push_back(send_to(rank_of(next), out));
      if (!stage.messages.empty()) schedule.push_back(std::move(stage));
    }
  }

  const BroadcastShape& shape_;
  int skipped_;
  int count_;
  std::int64_t piece_bytes_;
  int self_ = 0;
};

mpi::Schedule long_schedule(const BroadcastShape& shape, bool next_owner_first) {
  mpi::Schedule schedule;
  if (!next_owner_first) {
    SpreadRoll(shape, 0).append_to(schedule);
    return schedule;
  }
  const int distance = distance_of(shape);
  if (distance == 1) return {{.messages = {receive_from(rank_at(shape, 0), whole(shape))}}};
  if (distance == 0) schedule.push_back({.messages = {send_to(rank_at(shape, 1), whole(shape))}});
  SpreadRoll(shape, 1).append_to(schedule);
  if (distance == 0 && schedule.size() > 1) schedule[1].after_sends = true;
  return schedule;
}

}  // namespace

mpi::Schedule broadcast_schedule(BroadcastVariant variant, const BroadcastShape& shape) {
  HPL_ASSERT(shape.size >= 1 && shape.bytes >= 0);
  HPL_ASSERT(0 <= shape.rank && shape.rank < shape.size);
  HPL_ASSERT(0 <= shape.root && shape.root < shape.size);
  if (shape.size == 1 || shape.bytes == 0) return {};
  const auto [rings, next_owner_first] = form_of(variant);
  if (rings == 0) return long_schedule(shape, next_owner_first);
  return ring_schedule(shape, make_rings(rings, next_owner_first, shape.size));
}

std::vector<int> broadcast_peers(BroadcastVariant variant, int rank, int size) {
  std::vector<bool> met(static_cast<std::size_t>(size));
  // Long enough that no piece is empty, also where one member less shares the message.
  const std::int64_t bytes = kAlignment * size * size;
  for (int root = 0; root < size; ++root)
    for (const Stage& stage :
         broadcast_schedule(variant, {.rank = rank, .root = root, .size = size, .bytes = bytes}))
      for (const Message& message : stage.messages)
        met[static_cast<std::size_t>(message.peer)] = true;
  std::vector<int> peers;
  for (int peer = 0; peer < size; ++peer)
    if (met[static_cast<std::size_t>(peer)]) peers.push_back(peer);
  return peers;
}

mpi::Schedule tree_schedule(const BroadcastShape& shape) {
  if (shape.size == 1 || shape.bytes == 0) return {};
  const int distance = distance_of(shape);
  const int top = static_cast<int>(std::bit_ceil(static_cast<unsigned>(shape.size)));
  // Distance d hears from d without its lowest bit, and feeds the distances below that bit.
  const int reach = distance == 0 ? top : distance & -distance;
  mpi::Schedule schedule;
  if (distance != 0)
    schedule.push_back(
        {.messages = {receive_from(rank_at(shape, distance - reach), whole(shape))}});
  Stage feed;
  for (int step = reach / 2; step > 0; step /= 2)
    if (distance + step < shape.size)
      feed.messages.push_back(send_to(rank_at(shape, distance + step), whole(shape)));
  if (!feed.messages.empty()) schedule.push_back(std::move(feed));
  return schedule;
}

}  // namespace hpl
