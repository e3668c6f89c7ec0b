#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/request.h"
#include "hpl/comm/mpi/wait_policy.h"

namespace hpl::mpi {

/// A part of the buffer that goes to or comes from another rank.
struct Message {
  enum class Direction { Send, Receive };

  int peer = 0;
  std::int64_t offset = 0;  ///< bytes from the start of the buffer
  std::int64_t bytes = 0;
  Direction direction = Direction::Send;

  friend bool operator==(const Message&, const Message&) = default;
};

/// Messages that one rank posts together.
struct Stage {
  std::vector<Message> messages = {};
  /// Starts only when all earlier sends are through as well: keeps a favoured receiver's bandwidth
  /// whole.
  bool after_sends = false;

  friend bool operator==(const Stage&, const Stage&) = default;
};

/// One rank's part in a communication pattern, as data. A stage starts when all receives of the
/// stages before it are complete; sends hold back nothing but the end (and stages that ask for it).
using Schedule = std::vector<Stage>;

/// Of a message in host memory that is polled for. Some MPIs move only a few fragments of a message
/// in a poll (Open MPI's shared memory three of 32 KB, without single-copy access), and who sleeps
/// between polls waits for as many as there are fragments. Of pieces in flight each moves as much.
inline constexpr std::int64_t kPolledPiece = std::int64_t{1} << 19;
/// The same pattern with its messages cut into pieces of at most so many bytes, which are in flight
/// together. Both ends of a message must cut it alike.
Schedule in_pieces(const Schedule& schedule, std::int64_t bytes);

/// True when no receive writes where another message of an earlier or the same stage reads or
/// writes. All receives can then be posted at the start, and data find their place without waiting
/// for a poll of the receiver.
bool receives_may_start_early(const Schedule& schedule);

/// Carries out a schedule on a buffer with non-blocking calls. Several may be in flight on one
/// communicator with distinct tags. Communicator and buffer must outlive it. Used by one thread.
class ScheduleRun {
 public:
  /// Offsets count from the start of `buffer`. `tag` from Communicator::tag(), the same on every
  /// rank.
  ScheduleRun(const Communicator& comm, Schedule schedule, std::span<std::byte> buffer, int tag);

  /// Posts what can be posted. Once.
  void start();
  /// Advances as far as possible without blocking; true when everything is done. After start().
  bool progress();
  /// Returns when everything is done; starts if nobody did. Throws Stopped.
  void wait(const WaitPolicy& policy);

  bool started() const { return started_; }
  bool done() const { return done_; }

 private:
  void post(const Message& message, RequestSet& requests);
  void enter_stage(std::size_t index);

  const Communicator* comm_;
  Schedule schedule_;
  std::span<std::byte> buffer_;
  int tag_;
  std::vector<RequestSet> receives_;  // one a stage
  RequestSet sends_;
  std::size_t stage_ = 0;  // the last one entered
  bool early_ = false;
  bool started_ = false;
  bool done_ = false;
};

}  // namespace hpl::mpi
