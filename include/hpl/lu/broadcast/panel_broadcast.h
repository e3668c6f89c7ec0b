#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hpl/comm/transport/transfer_queue.h"
#include "hpl/lu/broadcast/broadcast.h"

namespace hpl {

/// Broadcasts panel after panel along one process row, from device memory to device memory. Used by
/// one thread.
///
/// A transport with a broadcast of its own uses it. On a device with memory of its own the long
/// variant takes its place for lengths at which it was faster. All other transports use the variant
/// of HPL.dat, in pieces that the transport can take, several in flight.
///
/// A message may have a header in host memory, which is sent ahead from host to host. A receiver
/// that has the header knows that the body is coming, and only then starts to receive it: a receive
/// on the device that waits for its sender would occupy multiprocessors.
class PanelBroadcast {
 public:
  /// `row` joins the ranks of `comm`, ranked by process column, and must outlive this. Collective
  /// over them: compares the ways where there are two.
  PanelBroadcast(Transport& row, const mpi::Communicator& comm, hpcx::Device& device,
                 BroadcastVariant variant);

  /// The ways of `rank` in a row of `size` whose transport has a broadcast of its own. Pure.
  static MessageWays ways(int rank, int size) {
    return {broadcast_peers(kBesideOwnWay, rank, size), true};
  }

  /// The message; lengths as on the root.
  struct Message {
    std::span<std::byte> header;  ///< host memory; may be empty
    std::span<std::byte> body;    ///< device memory
    /// The body in pinned host memory, where the host has it on the root; see Transport::begin().
    std::byte* body_on_host = nullptr;
  };
  /// Collective over the row; same order on every rank. The root's message is what stands there
  /// when `stream` gets to this point; in use until finish(), the root's body until the finish() of
  /// the next broadcast.
  void start(hpcx::StreamRef stream, const Message& message, int root);
  /// Makes progress with messages under way; never blocks. True when nothing is left to do.
  bool progress();
  /// Waits for the header. Work enqueued in the stream afterwards finds the body in place.
  void finish(const mpi::WaitPolicy& policy);

 private:
  /// The pattern that takes the place of a transport's own broadcast where it is faster.
  static constexpr BroadcastVariant kBesideOwnWay = BroadcastVariant::Long;

  /// Messages of `bytes` and more, up to the next entry.
  struct Preference {
    std::int64_t bytes;
    bool own_way;
  };

  void compare_ways(const mpi::Communicator& comm, hpcx::Device& device);
  bool prefers_own_way(std::int64_t bytes) const;
  void begin_piece();

  Transport& row_;
  BroadcastVariant variant_;
  std::vector<Preference> preferences_;  // empty: the transport has no broadcast of its own
  mpi::Communicator headers_;
  std::int64_t operation_ = 0;
  TransferQueue in_flight_;

  // The broadcast under way.
  std::optional<hpcx::StreamRef> stream_;
  std::optional<mpi::ScheduleRun> header_;
  std::span<std::byte> rest_;  // of the body
  std::byte* rest_on_host_ = nullptr;
  int root_ = 0;
  bool own_way_ = false;
};

}  // namespace hpl
