#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "hpcx/memory.h"
#include "hpcx/stream.h"

namespace hpcx {

/// Bytes of device memory that go to or come from another member of a group.
struct DeviceMessage {
  enum class Direction { Send, Receive };

  std::byte* data = nullptr;
  std::size_t bytes = 0;
  int peer = 0;
  Direction direction = Direction::Send;
};

/// Devices of several processes that exchange messages in the order of their streams, without the
/// host (NCCL, RCCL). Every operation is enqueued by all of its members in the same order; one
/// thread uses a group at a time.
class DeviceGroup {
 public:
  virtual ~DeviceGroup() = default;
  /// All messages at once; the stream goes on when they are through. Asynchronous.
  virtual void exchange(StreamRef stream, std::span<const DeviceMessage> messages) = 0;
  /// data := the root's, `bytes` of it, on every member. Asynchronous.
  virtual void broadcast(StreamRef stream, void* data, std::size_t bytes, int root) = 0;
};

/// Names a group to be: one process makes it and tells the others.
using GroupId = std::array<std::byte, 128>;

/// Names device memory so that another process of the node can map it.
struct MemoryHandle {
  std::array<std::byte, 64> bytes{};
};

/// Names an event so that another process of the node can open it.
struct EventHandle {
  std::array<std::byte, 64> bytes{};
};

/// A point in the order of a stream that streams of other processes of the node can wait for.
///
/// Other than an Event it moves: who waits means the last point that was recorded, in whichever
/// process, before the call to wait(). The processes must tell each other, by messages between
/// hosts, that a point was recorded, and that the wait for it is enqueued, before it moves on.
class SharedEvent {
 public:
  virtual ~SharedEvent() = default;
  /// The point after everything enqueued in `stream` so far. By the process that made the event.
  virtual void record(StreamRef stream) = 0;
  /// Work enqueued in `stream` from now on starts after the point. Asynchronous.
  virtual void wait(StreamRef stream) = 0;
};

/// The ways by which the devices of a back end reach each other.
class Interconnect {
 public:
  virtual ~Interconnect() = default;

  /// Name and version of the library that groups are made with; empty where it is missing.
  virtual std::string library() const = 0;
  /// Why groups cannot be made, in words; empty when they can.
  virtual std::string why_no_groups() const = 0;
  /// Throws Error where the library refuses.
  virtual GroupId new_group() = 0;
  /// This device as member `rank` of `size`, each in a process of its own. Blocks until all have
  /// joined. Throws Error where the library refuses; the other members may then block for ever.
  virtual std::unique_ptr<DeviceGroup> join(const GroupId& id, int rank, int size) = 0;
  /// The library's words for a failure of messages under way, which then never arrive; empty:
  /// none. Any thread.
  virtual std::string failure() const { return {}; }

  /// For memory from Device::allocate(), whose contents may be lost. Throws Error where the system
  /// does not allow it.
  virtual MemoryHandle export_memory(const Buffer& memory) = 0;
  /// Ends what export_memory() began, once all others have imported the memory.
  virtual void withdraw(const MemoryHandle& /*handle*/) {}
  /// Another process's memory in this device's address space; it must outlive the mapping. Throws
  /// Error where the devices do not reach each other.
  virtual Buffer import_memory(const MemoryHandle& handle) = 0;

  /// An event of this process, and its name. Throws Error where the system does not allow it.
  virtual std::unique_ptr<SharedEvent> create_event(EventHandle& handle) = 0;
  /// Another process's event; it must outlive what this returns. Throws Error as well.
  virtual std::unique_ptr<SharedEvent> import_event(const EventHandle& handle) = 0;
};

}  // namespace hpcx
