#include <algorithm>
#include <string>
#include <vector>

#include "hpcx/error.h"
#include "hpl/comm/transport/transport.h"

namespace hpl {

namespace {

/// Enqueued work needs nothing more from the host.
class EnqueuedTransfer final : public Transfer {
 public:
  bool progress() override { return true; }
};

/// Message patterns as groups of sends and receives of the device's library, one group a stage.
///
/// A stage here is over when all of its messages are, sends included, where MPI's would only wait
/// for receives. Patterns stay free of deadlock: both ends of a message have it in the same stage
/// of the pattern as a whole.
class DeviceTransport final : public Transport {
 public:
  DeviceTransport(const mpi::Communicator& comm, hpcx::Device& device, const MessageWays& ways)
      : Transport(comm.rank(), comm.size()) {
    hpcx::Interconnect& interconnect = *device.interconnect();
    const hpcx::GroupId id = name_of_group(comm, interconnect);
    // Memory that runs out does so before there is a group.
    const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
    const hpcx::Buffer memory =
        device.allocate(std::max<std::size_t>(1, 2 * ways.peers.size()) * kGreetingBytes);
    group_ = interconnect.join(id, rank(), size());
    open(ways, stream, memory);
  }

  TransportKind kind() const override { return TransportKind::Nccl; }

  std::unique_ptr<Transfer> begin(hpcx::StreamRef stream, mpi::Schedule schedule,
                                  std::span<std::byte> memory, std::byte*) override {
    std::vector<hpcx::DeviceMessage> messages;
    for (const mpi::Stage& stage : schedule) {
      messages.clear();
      for (const mpi::Message& message : stage.messages) {
        if (message.direction == mpi::Message::Direction::Receive) received_ += message.bytes;
        messages.push_back({.data = memory.data() + message.offset,
                            .bytes = static_cast<std::size_t>(message.bytes),
                            .peer = message.peer,
                            .direction = message.direction == mpi::Message::Direction::Send
                                             ? hpcx::DeviceMessage::Direction::Send
                                             : hpcx::DeviceMessage::Direction::Receive});
      }
      group_->exchange(stream, messages);
    }
    return std::make_unique<EnqueuedTransfer>();
  }

  std::int64_t peer_bytes() const override { return received_; }
  bool has_own_broadcast() const override { return true; }
  std::unique_ptr<Transfer> begin_broadcast(hpcx::StreamRef stream, std::span<std::byte> memory,
                                            int root) override {
    if (rank() != root) received_ += std::ssize(memory);
    group_->broadcast(stream, memory.data(), memory.size(), root);
    return std::make_unique<EnqueuedTransfer>();
  }

 private:
  static constexpr std::size_t kGreetingBytes = 4096;

  /// Rank 0's, or its failure, on every rank.
  static hpcx::GroupId name_of_group(const mpi::Communicator& comm,
                                     hpcx::Interconnect& interconnect) {
    hpcx::GroupId id{};
    std::string reason;
    try {
      if (comm.rank() == 0) id = interconnect.new_group();
    } catch (const hpcx::Error& error) {
      reason = error.what();
    }
    reason = comm.broadcast(reason, 0);
    if (!reason.empty()) throw hpcx::Error(reason);
    return comm.broadcast_value(id, 0);
  }

  /// The first message between two devices opens their connection, which takes milliseconds.
  void open(const MessageWays& ways, hpcx::StreamRef stream, const hpcx::Buffer& memory) {
    using Direction = hpcx::DeviceMessage::Direction;
    std::vector<hpcx::DeviceMessage> messages;
    std::size_t slot = 0;
    for (const int peer : ways.peers) {
      messages.push_back({memory.as<std::byte>(slot), kGreetingBytes, peer, Direction::Send});
      messages.push_back(
          {memory.as<std::byte>(slot + kGreetingBytes), kGreetingBytes, peer, Direction::Receive});
      slot += 2 * kGreetingBytes;
    }
    group_->exchange(stream, messages);
    if (ways.own_broadcast) group_->broadcast(stream, memory.as<void>(), kGreetingBytes, 0);
    stream.synchronize();
  }

  std::unique_ptr<hpcx::DeviceGroup> group_;
  std::int64_t received_ = 0;
};

}  // namespace

std::unique_ptr<Transport> make_device_transport(const mpi::Communicator& comm,
                                                 hpcx::Device& device, const MessageWays& ways) {
  return std::make_unique<DeviceTransport>(comm, device, ways);
}

}  // namespace hpl
