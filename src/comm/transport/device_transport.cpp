#include <vector>

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
  DeviceTransport(const mpi::Communicator& comm, hpcx::Device& device)
      : Transport(comm.rank(), comm.size()) {
    hpcx::Interconnect& interconnect = *device.interconnect();
    const hpcx::GroupId id =
        comm.broadcast_value(rank() == 0 ? interconnect.new_group() : hpcx::GroupId{}, 0);
    group_ = interconnect.join(id, rank(), size());
    greet_everybody(device);
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
  /// The first message between two devices opens their connection, which takes milliseconds.
  void greet_everybody(hpcx::Device& device) {
    using Direction = hpcx::DeviceMessage::Direction;
    constexpr std::size_t kBytes = 4096;
    const auto count = static_cast<std::size_t>(size());
    const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
    const hpcx::Buffer memory = device.allocate(2 * count * kBytes);
    std::vector<hpcx::DeviceMessage> messages;
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == rank()) continue;
      const auto slot = 2 * static_cast<std::size_t>(peer) * kBytes;
      messages.push_back({memory.as<std::byte>(slot), kBytes, peer, Direction::Send});
      messages.push_back({memory.as<std::byte>(slot + kBytes), kBytes, peer, Direction::Receive});
    }
    group_->exchange(stream, messages);
    stream.ref().synchronize();
  }

  std::unique_ptr<hpcx::DeviceGroup> group_;
  std::int64_t received_ = 0;
};

}  // namespace

std::unique_ptr<Transport> make_device_transport(const mpi::Communicator& comm,
                                                 hpcx::Device& device) {
  return std::make_unique<DeviceTransport>(comm, device);
}

}  // namespace hpl
