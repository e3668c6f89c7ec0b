#include "panel/proxy.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

/// All words carry the step. The device writes them one by one, in any order.
bool all_stamped(std::span<const std::uint64_t> words, unsigned stamp) {
  return std::all_of(words.begin(), words.end(), [stamp](const std::uint64_t& word) {
    // Through atomic_ref, for it is another processor that writes; it takes no const.
    const std::atomic_ref<std::uint64_t> shared(const_cast<std::uint64_t&>(word));
    return static_cast<unsigned>(shared.load(std::memory_order_acquire) >> 32) == stamp;
  });
}

}  // namespace

GpuPanelProxy::GpuPanelProxy(Device& device, const PanelConnection& connection,
                             std::int64_t max_cols)
    : groups_(static_cast<int>(connection.groups.size())), me_(connection.me), max_cols_(max_cols) {
  for (int group = 0; group < groups_; ++group)
    group_of_.insert(group_of_.end(),
                     static_cast<std::size_t>(connection.groups[static_cast<std::size_t>(group)]),
                     group);
  const auto zeroed = [&](std::int64_t words) {
    Buffer buffer = device.allocate_pinned(static_cast<std::size_t>(words) * sizeof(std::uint64_t));
    std::memset(buffer.as<void>(), 0, buffer.bytes());
    return buffer;
  };
  outbox_ = zeroed(outbox_words(max_cols));
  inbox_ = zeroed(inbox_words(groups_, members(), max_cols));
  messages_ = device.allocate(messages_bytes(groups_));
  const Stream stream = device.create_stream(Priority::Normal);
  device.kernels().clear(stream, messages_);
  stream.ref().synchronize();
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
  return now_.exchange;
}

bool GpuPanelProxy::ready() {
  return now_.exchange == Exchange::Pivot
             ? pivot_ready()
             : all_stamped(own_words(kOutboxFlagsAt, 2 * now_.blocks), now_.stamp);
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
  if (now_.exchange == Exchange::Pivot)
    return std::as_bytes(own_words((now_.stamp & 1u) * kMessageWords, kMessageWords));
  const auto rows = static_cast<std::uint32_t>(own_words(kOutboxFlagsAt, 1)[0]);
  return std::as_bytes(own_words(kOutboxRowsAt, std::int64_t{rows} * now_.columns));
}

std::span<std::byte> GpuPanelProxy::message_from(int member) {
  const bool pivot = now_.exchange == Exchange::Pivot;
  const std::int64_t at = pivot ? inbox_message_at(groups_, group_of(member), now_.stamp)
                                : inbox_rows_at(groups_, member, max_cols_);
  const std::int64_t words = pivot ? kMessageWords : std::int64_t{kMovedRows} * now_.columns;
  return std::as_writable_bytes(std::span(inbox() + at, static_cast<std::size_t>(words)));
}

void GpuPanelProxy::arrived(int member) {
  if (now_.exchange == Exchange::Pivot) return;  // its words are stamped
  std::atomic_ref<std::uint64_t>(inbox()[inbox_flag_at(groups_, member)])
      .store(std::uint64_t{now_.stamp} << 32, std::memory_order_release);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
