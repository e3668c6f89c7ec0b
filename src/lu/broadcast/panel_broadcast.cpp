#include "hpl/lu/broadcast/panel_broadcast.h"

#include <algorithm>
#include <array>

#include "hpl/base/error/error.h"

namespace hpl {

PanelBroadcast::PanelBroadcast(Transport& row, const mpi::Communicator& comm, hpcx::Device& device,
                               BroadcastVariant variant)
    : row_(row), variant_(variant), headers_(comm.dup()) {
  if (row_.size() == 1 || !row_.has_own_broadcast()) return;
  if (device.shares_host_memory())
    preferences_ = {{0, true}};
  else
    compare_ways(comm, device);
}

void PanelBroadcast::start(hpcx::StreamRef stream, const Message& message, int root) {
  HPL_ASSERT(in_flight_.empty() && rest_.empty() && !header_);
  if (row_.size() == 1) return;
  stream_ = stream;
  rest_ = message.body;
  rest_on_host_ = message.body_on_host;
  root_ = root;
  own_way_ = prefers_own_way(std::ssize(message.body));
  if (!message.header.empty()) {
    const BroadcastShape shape{.rank = row_.rank(),
                               .root = root,
                               .size = row_.size(),
                               .bytes = std::ssize(message.header)};
    header_.emplace(headers_, tree_schedule(shape), message.header, headers_.tag(operation_++));
    header_->start();
  }
  progress();
}

bool PanelBroadcast::progress() {
  if (header_) {
    if (!header_->progress()) return false;
    header_.reset();
  }
  for (;;) {
    if (!rest_.empty() && in_flight_.size() < row_.most_in_flight())
      begin_piece();
    else if (!in_flight_.pop_done())
      return in_flight_.empty() && rest_.empty();
  }
}

void PanelBroadcast::finish(const mpi::WaitPolicy& policy) {
  mpi::wait_until(policy, [this] { return progress(); });
}

void PanelBroadcast::begin_piece() {
  const auto bytes =
      std::min<std::size_t>(rest_.size(), static_cast<std::size_t>(row_.piece_bytes()));
  const std::span<std::byte> piece = rest_.first(bytes);
  std::byte* const on_host = rest_on_host_;
  rest_ = rest_.subspan(bytes);
  if (rest_on_host_ != nullptr) rest_on_host_ += bytes;
  if (own_way_) {
    in_flight_.add(row_.begin_broadcast(*stream_, piece, root_));
    return;
  }
  const BroadcastShape shape{
      .rank = row_.rank(), .root = root_, .size = row_.size(), .bytes = std::ssize(piece)};
  const BroadcastVariant variant = preferences_.empty() ? variant_ : kBesideOwnWay;
  in_flight_.add(row_.begin(*stream_, broadcast_schedule(variant, shape), piece, on_host));
}

bool PanelBroadcast::prefers_own_way(std::int64_t bytes) const {
  bool own_way = !preferences_.empty() && preferences_.front().own_way;
  for (const Preference& preference : preferences_)
    if (preference.bytes <= bytes) own_way = preference.own_way;
  return own_way;
}

void PanelBroadcast::compare_ways(const mpi::Communicator& comm, hpcx::Device& device) {
  constexpr std::array<std::int64_t, 3> kLengths{1 << 16, 1 << 20, 1 << 25};
  constexpr int kWarmUp = 2, kRounds = 5;
  const hpcx::Stream owned = device.create_stream(hpcx::Priority::High);
  const hpcx::StreamRef stream = owned;
  const hpcx::Buffer memory = device.allocate(static_cast<std::size_t>(kLengths.back()));
  const hpcx::Buffer* const buffers[] = {&memory};
  const std::unique_ptr<Exposure> exposure = row_.expose(buffers);
  const auto seconds_of = [&](std::int64_t bytes) {
    hpcx::Event begin;
    for (int round = 0; round < kWarmUp + kRounds; ++round) {
      if (round == kWarmUp) begin = stream.record();
      start(stream, {{}, {memory.as<std::byte>(), static_cast<std::size_t>(bytes)}},
            round % row_.size());
      finish({});
    }
    const hpcx::Event end = stream.record();
    end.synchronize();
    return comm.all_reduce(end.seconds_since(begin), mpi::Reduce::Max);
  };
  std::vector<Preference> found;
  for (const std::int64_t bytes : kLengths) {
    preferences_ = {{0, true}};
    const double own = seconds_of(bytes);
    preferences_ = {{0, false}};
    found.push_back({bytes, own <= seconds_of(bytes)});
  }
  preferences_ = std::move(found);
}

}  // namespace hpl
