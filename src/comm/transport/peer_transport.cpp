#include <algorithm>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/comm/transport/peer_memory.h"
#include "hpl/comm/transport/transport.h"
#include "peer_link.h"

namespace hpl {

namespace {

using Direction = mpi::Message::Direction;

/// A buffer of this rank, and where those of the others appear in its address space.
struct ExposedMemory {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::vector<hpcx::Buffer> mapped;  // by rank, empty for this one

  bool holds(const std::byte* data, std::int64_t size) const {
    return begin <= data && data + size <= begin + bytes;
  }
};

/// By number, the same on all ranks.
using ExposedMemories = std::map<std::int64_t, ExposedMemory>;

/// Maps buffers of all ranks into each other's address space.
class PeerExposure final : public Exposure {
 public:
  struct Place {
    ExposedMemories& all;
    std::int64_t first;  ///< number of the first buffer
  };

  /// Collective.
  PeerExposure(const mpi::Communicator& comm, hpcx::Interconnect& interconnect,
               std::span<const hpcx::Buffer* const> buffers, Place place)
      : comm_(comm), all_(place.all) {
    std::int64_t first = place.first;
    ExposedMemories fresh;
    for (const hpcx::Buffer* const buffer : buffers)
      fresh.emplace(first++, ExposedMemory{.begin = buffer->as<std::byte>(),
                                           .bytes = buffer->bytes(),
                                           .mapped = map_buffers(comm, interconnect, *buffer)});
    // Last: a refusal leaves nothing behind.
    for (const auto& [number, memory] : fresh)
      numbers_.push_back(number);
    all_.merge(fresh);
  }
  ~PeerExposure() override {
    for (const std::int64_t number : numbers_)
      all_.erase(number);
    if (std::uncaught_exceptions() > 0) return;  // others may have failed elsewhere
    try {
      comm_.barrier();  // nobody frees what another maps
    } catch (...) {     // the job ends
    }
  }
  PeerExposure(const PeerExposure&) = delete;
  PeerExposure& operator=(const PeerExposure&) = delete;

 private:
  const mpi::Communicator& comm_;
  ExposedMemories& all_;
  std::vector<std::int64_t> numbers_;
};

/// Messages that the receivers copy out of the senders' memory, see PeerLink. Nothing occupies
/// multiprocessors: copy engines copy, and streams wait for events.
class PeerTransport final : public Transport {
 public:
  PeerTransport(const mpi::Communicator& comm, hpcx::Device& device)
      : Transport(comm.rank(), comm.size()), comm_(comm.dup()), device_(device) {
    refuse_together(comm_, why_not(device));
    for (int peer = 0; peer < size(); ++peer)
      links_.push_back(std::make_unique<PeerLink>(comm_, peer));
    open_links(*device.interconnect());
    try_out();
  }
  ~PeerTransport() override {
    if (std::uncaught_exceptions() > 0) return;  // others may have failed elsewhere
    try {
      mpi::wait_until(mpi::WaitPolicy::sleeping(), [this] {
        return std::ranges::all_of(links_, [](const auto& link) { return link->settled(); });
      });
      for (const auto& link : links_)
        link->close_events();
      comm_.barrier();  // nobody destroys what another has opened
    } catch (...) {     // the job ends
    }
  }
  PeerTransport(const PeerTransport&) = delete;
  PeerTransport& operator=(const PeerTransport&) = delete;

  TransportKind kind() const override { return TransportKind::Peer; }

  std::unique_ptr<Exposure> expose(std::span<const hpcx::Buffer* const> memory) override {
    const std::int64_t first = next_number_;
    next_number_ += std::ssize(memory);
    return std::make_unique<PeerExposure>(comm_, *device_.interconnect(), memory,
                                          PeerExposure::Place{exposed_, first});
  }

  std::unique_ptr<Transfer> begin(hpcx::StreamRef stream, mpi::Schedule schedule,
                                  std::span<std::byte> memory, std::byte*) override;

  std::int64_t peer_bytes() const override { return received_; }
  bool has_own_broadcast() const override { return true; }
  std::unique_ptr<Transfer> begin_broadcast(hpcx::StreamRef stream, std::span<std::byte> memory,
                                            int root) override;

 private:
  class PatternTransfer;

  std::string why_not(hpcx::Device& device) const {
    if (comm_.split_shared().size() != size()) return "the ranks are on several nodes";
    return device.interconnect() == nullptr ? "the device's memory cannot be shared" : "";
  }
  void try_out();

  void open_links(hpcx::Interconnect& interconnect) {
    std::vector<PeerLink::EventNames> own(links_.size());
    refuse_together(comm_, reason_of([&] {
                      for (int peer = 0; peer < size(); ++peer)
                        if (peer != rank()) own[at(peer)] = link(peer).create_events(interconnect);
                    }));
    const std::vector<PeerLink::EventNames> theirs = comm_.all_to_all(own);
    refuse_together(comm_, reason_of([&] {
                      for (int peer = 0; peer < size(); ++peer)
                        if (peer != rank()) link(peer).open_events(interconnect, theirs[at(peer)]);
                    }));
  }

  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  PeerLink& link(int peer) const { return *links_[at(peer)]; }
  /// The number of the buffer that the bytes lie in.
  std::int64_t number_of(std::span<const std::byte> memory) const {
    for (const auto& [number, exposed] : exposed_)
      if (exposed.holds(memory.data(), std::ssize(memory))) return number;
    HPL_ASSERT(!"memory of a transfer is exposed");
    return 0;
  }

  mpi::Communicator comm_;
  hpcx::Device& device_;
  std::vector<std::unique_ptr<PeerLink>> links_;  // by rank; unused for this one
  ExposedMemories exposed_;
  std::int64_t next_number_ = 0;
  std::int64_t received_ = 0;
};

/// One pattern of messages, stage by stage: offers all that the stage sends, then takes what it
/// receives in the order in which it arrives. It is over when what was sent before `last_sends`,
/// and what was not collected of earlier patterns, has been taken.
class PeerTransport::PatternTransfer final : public Transfer {
 public:
  struct Pattern {
    mpi::Schedule schedule;
    std::span<std::byte> memory;
    bool collects_own = true;  ///< else the next transfer waits for the receivers of its messages
  };

  PatternTransfer(PeerTransport& transport, hpcx::StreamRef stream, Pattern pattern)
      : transport_(transport),
        stream_(stream),
        schedule_(std::move(pattern.schedule)),
        memory_(pattern.memory),
        collects_own_(pattern.collects_own),
        awaited_(transport.links_.size()) {
    for (int peer = 0; peer < transport.size(); ++peer)
      awaited_[at(peer)] = transport.link(peer).offered();
    enter();
    progress();
  }

  bool progress() override {
    for (const auto& link : transport_.links_)
      link->collect(stream_);
    while (stage_ < schedule_.size()) {
      if (schedule_[stage_].after_sends && next_send_ == 0 && !collected(offered_before_stage_))
        return false;
      send();
      receive();
      if (next_send_ < sends_.size() || !receives_.empty()) return false;
      ++stage_;
      enter();
    }
    return collected(awaited_);
  }

 private:
  struct Receive {
    const mpi::Message* message;
    std::int64_t number;
  };

  void enter() {
    sends_.clear();
    next_send_ = 0;
    if (stage_ == schedule_.size()) return;
    for (const mpi::Message& message : schedule_[stage_].messages) {
      if (message.bytes == 0) continue;
      if (message.direction == Direction::Send)
        sends_.push_back(&message);
      else
        receives_.push_back({&message, transport_.link(message.peer).expect()});
    }
    if (!schedule_[stage_].after_sends) return;
    offered_before_stage_.clear();
    for (const auto& link : transport_.links_)
      offered_before_stage_.push_back(link->offered());
  }

  bool collected(const std::vector<std::int64_t>& offered) const {
    for (int peer = 0; peer < transport_.size(); ++peer)
      if (transport_.link(peer).collected() < offered[at(peer)]) return false;
    return true;
  }

  void send() {
    for (; next_send_ < sends_.size(); ++next_send_) {
      const mpi::Message& message = *sends_[next_send_];
      PeerLink& link = transport_.link(message.peer);
      const std::span<std::byte> part = bytes_of(message);
      const std::int64_t number = transport_.number_of(part);
      const std::byte* const begin = transport_.exposed_.at(number).begin;
      if (!link.offer(stream_, {number, part.data() - begin, message.bytes})) return;
      if (collects_own_) awaited_[at(message.peer)] = link.offered();
    }
  }

  void receive() {
    std::erase_if(receives_, [this](const Receive& receive) {
      const mpi::Message& message = *receive.message;
      PeerLink& link = transport_.link(message.peer);
      const PeerNotice* const notice = link.arrived(receive.number);
      if (notice == nullptr) return false;
      HPL_ASSERT(notice->bytes == message.bytes);
      const hpcx::Buffer& source = transport_.exposed_.at(notice->memory).mapped[at(message.peer)];
      link.take(stream_, bytes_of(message).data(),
                source.as<std::byte>(static_cast<std::size_t>(notice->offset)));
      transport_.received_ += message.bytes;
      return true;
    });
  }

  std::span<std::byte> bytes_of(const mpi::Message& message) const {
    return memory_.subspan(static_cast<std::size_t>(message.offset),
                           static_cast<std::size_t>(message.bytes));
  }

  PeerTransport& transport_;
  hpcx::StreamRef stream_;
  mpi::Schedule schedule_;
  std::span<std::byte> memory_;
  bool collects_own_;
  std::vector<std::int64_t> awaited_;  // messages to each rank that must be collected in the end
  std::size_t stage_ = 0;
  std::vector<const mpi::Message*> sends_;  // of the stage
  std::size_t next_send_ = 0;
  std::vector<Receive> receives_;  // of the stage, not yet taken
  std::vector<std::int64_t> offered_before_stage_;
};

std::unique_ptr<Transfer> PeerTransport::begin(hpcx::StreamRef stream, mpi::Schedule schedule,
                                               std::span<std::byte> memory, std::byte*) {
  return std::make_unique<PatternTransfer>(*this, stream,
                                           PatternTransfer::Pattern{std::move(schedule), memory});
}

/// Every rank copies from the root, at once.
std::unique_ptr<Transfer> PeerTransport::begin_broadcast(hpcx::StreamRef stream,
                                                         std::span<std::byte> memory, int root) {
  mpi::Stage stage;
  for (int peer = 0; peer < size() && !memory.empty(); ++peer)
    if (peer != rank() && (rank() == root || peer == root))
      stage.messages.push_back(
          {peer, 0, std::ssize(memory), rank() == root ? Direction::Send : Direction::Receive});
  return std::make_unique<PatternTransfer>(
      *this, stream, PatternTransfer::Pattern{mpi::Schedule{std::move(stage)}, memory, false});
}

/// A message from every rank to every other: whether they arrive, and so that connections are there
/// before a run.
void PeerTransport::try_out() {
  constexpr std::int64_t kCount = 512, kBytes = 8 * kCount;
  const auto pattern = [](int from, int to, std::int64_t i) {
    return 1e6 * (from + 1) + 1e3 * (to + 1) + static_cast<double>(i);
  };
  // To each rank, then from each.
  const auto half = static_cast<std::size_t>(size() * kCount);
  // Smaller memory may share a page of the device with others'.
  constexpr std::size_t kPage = std::size_t{2} << 20;
  hpcx::Buffer memory;
  refuse_together(comm_, reason_of([&] { memory = device_.allocate(std::max(16 * half, kPage)); }));
  const hpcx::Buffer* const buffers[] = {&memory};
  const std::unique_ptr<Exposure> exposure = expose(buffers);
  std::vector<double> on_host(2 * half, 0.0);
  const hpcx::Stream owned = device_.create_copy_stream();
  const hpcx::StreamRef stream = owned;
  // One by one before ranks depend on each other: who fails in between leaves the others waiting.
  refuse_together(comm_, reason_of([&] {
                    for (int peer = 0; peer < size(); ++peer) {
                      if (peer == rank()) continue;
                      link(peer).wait_for_all(stream);
                      stream.copy(memory.as<std::byte>(),
                                  exposed_.begin()->second.mapped[at(peer)].as<std::byte>(), 8);
                    }
                    stream.synchronize();
                  }));
  comm_.barrier();
  mpi::Stage stage;
  for (int peer = 0; peer < size(); ++peer) {
    for (std::int64_t i = 0; i < kCount; ++i)
      on_host[peer * kCount + i] = pattern(rank(), peer, i);
    if (peer == rank()) continue;
    stage.messages.push_back({peer, peer * kBytes, kBytes, Direction::Send});
    stage.messages.push_back({peer, (size() + peer) * kBytes, kBytes, Direction::Receive});
  }
  stream.copy(memory.as<std::byte>(), on_host.data(), 16 * half);
  const auto transfer =
      begin(stream, {std::move(stage)}, {memory.as<std::byte>(), 16 * half}, nullptr);
  mpi::wait_until(mpi::WaitPolicy::sleeping(), [&] { return transfer->progress(); });
  stream.copy(on_host.data(), memory.as<std::byte>(), 16 * half);
  bool arrived = true;
  refuse_together(comm_, reason_of([&] { stream.synchronize(); }));
  for (int peer = 0; peer < size(); ++peer)
    for (std::int64_t i = 0; i < kCount && peer != rank(); ++i)
      arrived &=
          on_host[half + static_cast<std::size_t>(peer * kCount + i)] == pattern(peer, rank(), i);
  refuse_together(comm_, arrived ? "" : "messages between mapped memories did not arrive");
  received_ = 0;
}

}  // namespace

std::unique_ptr<Transport> make_peer_transport(const mpi::Communicator& comm,
                                               hpcx::Device& device) {
  return std::make_unique<PeerTransport>(comm, device);
}

}  // namespace hpl
