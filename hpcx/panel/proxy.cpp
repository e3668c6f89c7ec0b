#include "panel/proxy.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

unsigned stamp_of(std::uint64_t word) {
  return static_cast<unsigned>(word >> 32);
}

/// All words carry the step. The device writes them one by one, in any order.
bool all_stamped(std::span<const std::uint64_t> words, unsigned stamp) {
  return std::all_of(words.begin(), words.end(), [stamp](const std::uint64_t& word) {
    // Through atomic_ref, for it is another processor that writes; it takes no const.
    const std::atomic_ref<std::uint64_t> shared(const_cast<std::uint64_t&>(word));
    return stamp_of(shared.load(std::memory_order_acquire)) == stamp;
  });
}

/// The candidate of a message in the order of the kernel's Candidate: |value| as bits, then the
/// complement of the row.
std::array<std::uint32_t, 3> candidate_of(std::span<const std::uint64_t> message) {
  return {static_cast<std::uint32_t>(message[0]), static_cast<std::uint32_t>(message[1]),
          static_cast<std::uint32_t>(message[kCandidateRowWord])};
}

constexpr int kDisplacedRowAt = kHeaderWords + kRowWords;

}  // namespace

GpuPanelProxy::GpuPanelProxy(Device& device, const PanelConnection& connection,
                             std::int64_t max_cols)
    : me_(connection.me),
      best_(kMessageWords),
      theirs_(connection.groups.size() * std::size_t{kMessageWords}) {
  for (int group = 0; group < std::ssize(connection.groups); ++group)
    group_of_.insert(group_of_.end(),
                     static_cast<std::size_t>(connection.groups[static_cast<std::size_t>(group)]),
                     group);
  const auto zeroed = [&](std::int64_t words) {
    Buffer buffer = device.allocate_pinned(static_cast<std::size_t>(words) * sizeof(std::uint64_t));
    std::memset(buffer.as<void>(), 0, buffer.bytes());
    return buffer;
  };
  outbox_ = zeroed(outbox_words(max_cols));
  inbox_ = zeroed(inbox_words(max_cols));
}

// The same loops and the same numbers as in factorize_columns() and below it.
void GpuPanelProxy::expect(const PanelWindow& window, const RowSplit& split, int owner) {
  const int width = register_columns(split.rows_per_thread);
  const int end = std::min(window.last, window.rows);
  unsigned stamp = window.sequence;
  for (int leaf = window.first; leaf < end; leaf += kLeafWidth) {
    const int leaf_end = std::min(leaf + kLeafWidth, end);
    for (int top = leaf; top < leaf_end; top += width) {
      const int count = std::min(width, leaf_end - top);
      Step step{.exchange = Exchange::Pivot,
                .columns = window.cols,
                .width = width,
                .displaces = group_of(owner) == group_of(me_),
                .blocks = split.blocks};
      for (int column = 0; column < count; ++column) {
        step.stamp = ++stamp;
        steps_.push_back(step);
      }
      step.exchange = Exchange::Rows;
      if (count < window.cols) steps_.push_back(step);
      stamp += kTeamMeetSteps;
    }
    if (leaf_end < end) stamp += kTeamMeetSteps;
  }
}

std::optional<PanelProxy::Exchange> GpuPanelProxy::next() {
  if (steps_.empty()) return std::nullopt;
  now_ = steps_.front();
  steps_.pop_front();
  rows_.clear();
  ready_ = false;
  return now_.exchange;
}

bool GpuPanelProxy::rows_known() {
  const auto words = own_words(kOutboxMovesAt, 2 * 2 * now_.width);
  if (!all_stamped(words, now_.stamp)) return false;
  const auto member = [](std::uint64_t word) {
    return static_cast<int>(static_cast<std::uint32_t>(word)) - 1;
  };
  for (std::size_t at = 0; at < words.size(); at += 2)
    rows_.push_back({.from = member(words[at]), .to = member(words[at + 1])});
  return true;
}

bool GpuPanelProxy::moves_rows(int from, int to) const {
  const int group = group_of(to);
  if (group == group_of(from)) return false;
  const auto [first, last] = std::equal_range(group_of_.begin(), group_of_.end(), group);
  const int relay = relay_in_group(from, static_cast<int>(last - first));
  return to == first - group_of_.begin() + relay &&
         std::any_of(rows_.begin(), rows_.end(), [&](const MovedRow& row) {
           return row.from == from && (row.to < 0 || group_of(row.to) == group);
         });
}

GpuPanelProxy::RowCount GpuPanelProxy::rows_of(int member) const {
  RowCount count;
  for (const MovedRow& row : rows_) {
    count.own += row.from == member;
    count.before += row.from >= 0 && row.from < member;
  }
  return count;
}

bool GpuPanelProxy::ready() {
  if (now_.exchange == Exchange::Rows)
    return all_stamped(own_words(kOutboxFlagsAt, 2 * now_.blocks), now_.stamp);
  if (!ready_ && pivot_ready()) {
    const auto own = own_words((now_.stamp & 1u) * kMessageWords, kMessageWords);
    std::copy(own.begin(), own.end(), best_.begin());
    ready_ = true;
  }
  if (ready_) leaving_ = best_;
  return ready_;
}

std::span<const std::uint64_t> GpuPanelProxy::own_words(std::int64_t at, std::int64_t count) const {
  return {outbox() + at, static_cast<std::size_t>(count)};
}

bool GpuPanelProxy::pivot_ready() const {
  const std::int64_t at = (now_.stamp & 1u) * kMessageWords;
  const auto header = own_words(at, kHeaderWords);
  if (!all_stamped(header, now_.stamp)) return false;
  const bool has_candidate = static_cast<std::uint32_t>(header[kCandidateRowWord]) != 0;
  const auto row_there = [&](std::int64_t row_at) {
    return all_stamped(own_words(row_at, 2 * now_.width), now_.stamp);
  };
  return (!has_candidate || row_there(at + kHeaderWords)) &&
         (!now_.displaces || row_there(at + kHeaderWords + kRowWords));
}

std::span<const std::byte> GpuPanelProxy::message() const {
  if (now_.exchange == Exchange::Pivot) return std::as_bytes(std::span(leaving_));
  return std::as_bytes(own_words(kOutboxRowsAt, rows_of(me_).own * now_.columns));
}

std::span<std::uint64_t> GpuPanelProxy::message_of_group(int group) {
  return std::span(theirs_).subspan(static_cast<std::size_t>(group) * kMessageWords, kMessageWords);
}

std::span<std::byte> GpuPanelProxy::message_from(int member) {
  if (now_.exchange == Exchange::Pivot)
    return std::as_writable_bytes(message_of_group(group_of(member)));
  const RowCount rows = rows_of(member);
  return std::as_writable_bytes(std::span(inbox() + kInboxRowsAt + rows.before * now_.columns,
                                          static_cast<std::size_t>(rows.own * now_.columns)));
}

void GpuPanelProxy::arrived(int member) {
  if (now_.exchange == Exchange::Rows) return;
  const auto theirs = message_of_group(group_of(member));
  const auto displaced = theirs.begin() + kDisplacedRowAt;
  if (candidate_of(best_) < candidate_of(theirs))
    std::copy(theirs.begin(), displaced, best_.begin());
  // One group alone has the row to be displaced.
  if (stamp_of(*displaced) == now_.stamp)
    std::copy(displaced, theirs.end(), best_.begin() + kDisplacedRowAt);
}

void GpuPanelProxy::finish() {
  const auto store = [](std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref<std::uint64_t>(word).store(value, std::memory_order_release);
  };
  if (now_.exchange == Exchange::Rows)
    return store(inbox()[kInboxFlagAt], std::uint64_t{now_.stamp} << 32);
  std::uint64_t* const to = inbox() + (now_.stamp & 1u) * kMessageWords;
  for (std::size_t i = 0; i < best_.size(); ++i)
    store(to[i], best_[i]);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
