#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hpcx/device.h"
#include "hpl/base/choice/choices.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/schedule.h"

namespace hpl {

/// One pattern of messages under way.
class Transfer {
 public:
  virtual ~Transfer() = default;
  /// Moves on without blocking. True when nothing is left for the host to do: what is enqueued from
  /// then on in the stream in which the transfer was begun finds the data in place.
  virtual bool progress() = 0;
};

/// Memory that the other ranks of a transport reach as long as this lives.
class Exposure {
 public:
  virtual ~Exposure() = default;
};

/// Carries out message patterns on device memory among the ranks of one communicator. Transfers are
/// begun in the same order on every rank; used by one thread at a time.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual TransportKind kind() const = 0;
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Prepares whole buffers of Device::allocate() for transfers, which work on no other memory: as
  /// many on every rank, in the same order, of any length. Null where any memory will do. Slow, and
  /// what it needs of the device may wait for all streams: before a run, not in it. Collective over
  /// the ranks, as is the end of what it returns, which comes before that of the buffers. Throws
  /// hpcx::Error on all ranks where the system refuses.
  [[nodiscard]] virtual std::unique_ptr<Exposure> expose(
      std::span<const hpcx::Buffer* const> /*memory*/) {
    return nullptr;
  }

  /// Begins this rank's part of a pattern on `memory`, whose contents are those at this point of
  /// `stream`; at most piece_bytes() of it, and most_in_flight() transfers at a time.
  ///
  /// `host_copy`, where not null, is pinned host memory that has, now, the bytes that this rank has
  /// to send. A way through hosts sends them from there, and what arrives stands in both.
  virtual std::unique_ptr<Transfer> begin(hpcx::StreamRef stream, mpi::Schedule schedule,
                                          std::span<std::byte> memory,
                                          std::byte* host_copy = nullptr) = 0;
  /// The transport knows how to broadcast without a pattern of messages.
  virtual bool has_own_broadcast() const { return false; }
  /// Only with has_own_broadcast(): memory := the root's, which stays as it is until the next
  /// transfer of this transport is through.
  virtual std::unique_ptr<Transfer> begin_broadcast(hpcx::StreamRef stream,
                                                    std::span<std::byte> memory, int root);

  /// Bytes of messages that were to arrive in this device without MPI.
  virtual std::int64_t peer_bytes() const { return 0; }

  virtual std::int64_t piece_bytes() const { return INT64_MAX; }
  virtual int most_in_flight() const { return 1; }

 protected:
  Transport(int rank, int size) : rank_(rank), size_(size) {}

 private:
  int rank_, size_;
};

/// `comm` must outlive the transport, and be used by its thread alone.
std::unique_ptr<Transport> make_mpi_device_transport(const mpi::Communicator& comm);
/// Pinned memory of `device` for `pieces` transfers of up to `piece_bytes`.
std::unique_ptr<Transport> make_mpi_host_transport(const mpi::Communicator& comm,
                                                   hpcx::Device& device,
                                                   std::int64_t piece_bytes = std::int64_t{8} << 20,
                                                   int pieces = 4);
/// The ways of the messages of a run.
struct MessageWays {
  /// Ranks that patterns send to or receive from. Each of them names this rank among its own.
  std::vector<int> peers{};
  bool own_broadcast = false;  ///< Transport::begin_broadcast() is used
};

/// Opens these ways. Another one would open, and take memory, in the midst of a transfer.
/// Collective over `comm`; throws hpcx::Error on all ranks where the library refuses.
std::unique_ptr<Transport> make_device_transport(const mpi::Communicator& comm,
                                                 hpcx::Device& device, const MessageWays& ways);

/// Of ranks on one node, whose devices reach each other's memory. Collective over `comm`; throws
/// hpcx::Error on all ranks where the system or a device refuses.
std::unique_ptr<Transport> make_peer_transport(const mpi::Communicator& comm, hpcx::Device& device);

}  // namespace hpl
