#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "hpcx/interconnect.h"
#include "hpcx/stream.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/request.h"

namespace hpl {

/// The place of a message's bytes in its sender's memory.
struct PeerNotice {
  std::int64_t memory = 0;  ///< number of the exposed buffer
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// Messages between this rank and another of its node. The receiver copies them out of the sender's
/// memory; the devices wait for each other's events, the hosts only tell that these were recorded:
///
///     sender                                          receiver
///     offer(): records `ready`   ---- notice --->     arrived()
///                                                     take(): waits for `ready` in its stream,
///                                                       copies, records `done`
///     collect(): waits for `done` <--- answer ----
///                in its stream
///
/// No call blocks. A wait in a stream is enqueued after the record that it means, on every device,
/// so streams cannot wait in a circle. Message n and message n + kWindow use the same two events:
/// the later is offered only when the earlier is collected. Then its receiver has enqueued the wait
/// for `ready` and this rank that for `done`, and both events may move on.
class PeerLink {
 public:
  /// Messages one way that are under way at once, at most.
  static constexpr std::size_t kWindow = 8;
  /// Names of the events that one rank records for another.
  struct EventNames {
    std::array<hpcx::EventHandle, kWindow> ready, done;
  };

  /// `comm` must outlive this; the link uses two of its tags for messages with `peer`.
  PeerLink(const mpi::Communicator& comm, int peer) : comm_(comm), peer_(peer) {}
  /// First on both ranks create_events(), then open_events() with the other's names. Both throw
  /// hpcx::Error.
  EventNames create_events(hpcx::Interconnect& interconnect);
  void open_events(hpcx::Interconnect& interconnect, const EventNames& names);

  /// Before any message: enqueues a wait for each of the other's events, which have not been
  /// recorded. Throws hpcx::Error where the device does not take them.
  void wait_for_all(hpcx::StreamRef stream);

  /// Sends what stands there when `stream` gets to this point; false where kWindow messages are
  /// under way. The bytes stay as they are until the message is collected.
  bool offer(hpcx::StreamRef stream, const PeerNotice& notice);
  /// Work enqueued in `stream` from now on starts after the copies of all messages that the
  /// receiver has answered.
  void collect(hpcx::StreamRef stream);
  /// For the end of all enqueuing: true when all messages are answered. Drives MPI.
  bool settled();
  /// Gives up the other's events, before the other destroys them.
  void close_events();
  std::int64_t offered() const { return offered_; }
  std::int64_t collected() const { return offered_ - std::ssize(offers_); }

  /// Expects another message; returns its number.
  std::int64_t expect();
  /// The notice of message `number`, which is the next one, if it is there; else null.
  const PeerNotice* arrived(std::int64_t number);
  /// Enqueues the copy of the message that has arrived, `source` being its bytes in this rank's
  /// address space.
  void take(hpcx::StreamRef stream, void* destination, const void* source);

 private:
  using Events = std::array<std::unique_ptr<hpcx::SharedEvent>, kWindow>;
  struct Offer {
    PeerNotice notice;
    mpi::RequestSet sent, answer;
  };
  struct Arrival {
    PeerNotice notice;
    mpi::RequestSet request;
  };

  static std::size_t slot(std::int64_t number) {
    return static_cast<std::size_t>(number) % kWindow;
  }

  const mpi::Communicator& comm_;
  int peer_;
  Events ready_, done_, their_ready_, their_done_;
  std::int64_t offered_ = 0, expected_ = 0;
  // Elements must not move: MPI reads and writes them.
  std::deque<Offer> offers_;      // not yet collected
  std::deque<Arrival> arrivals_;  // expected and not yet taken
  std::deque<mpi::RequestSet> answers_;
};

}  // namespace hpl
