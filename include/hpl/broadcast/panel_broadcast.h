#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hpl/broadcast/broadcast.h"
#include "hpl/transport/transfer_queue.h"

namespace hpl {

/// Broadcasts panel after panel along one process row, from device memory to device memory. Used by
/// one thread.
///
/// Where the transport has a broadcast of its own, it or the long variant is used, whichever was
/// faster for messages of about that length; elsewhere the variant of HPL.dat, in pieces that the
/// transport can take, several in flight.
class PanelBroadcast {
 public:
  /// `row` joins the ranks of `comm`, ranked by process column, and must outlive this. Collective
  /// over them: compares the ways.
  PanelBroadcast(Transport& row, const mpi::Communicator& comm, hpcx::Device& device,
                 BroadcastVariant variant);

  /// Collective over the row; same order on every rank. `message` is the root's as it stands at
  /// this point of `stream`, and in use until finish().
  void start(hpcx::StreamRef stream, std::span<std::byte> message, int root);
  /// Moves messages on if any wait to be; never blocks. True when nothing is left to do.
  bool progress();
  /// When it returns, what is enqueued in the stream from then on finds the message in place.
  void finish(const mpi::WaitPolicy& policy);

 private:
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
  std::vector<Preference> preferences_;  // empty: the transport has no way of its own
  TransferQueue in_flight_;

  // The broadcast under way.
  std::optional<hpcx::StreamRef> stream_;
  std::span<std::byte> rest_;
  int root_ = 0;
  bool own_way_ = false;
};

}  // namespace hpl
