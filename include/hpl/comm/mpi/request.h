#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/unique_handle.h"
#include "hpl/comm/mpi/wait_policy.h"

namespace hpl::mpi {

/// Longest single MPI message. Counts are ints in MPI, and several transports fail near 2 GiB; a
/// longer message travels as pieces of this size and a rest, cut the same way on both sides.
inline constexpr std::int64_t kLargestPiece = std::int64_t{1} << 30;

/// Lengths of the pieces of a message of `bytes` >= 0: all kLargestPiece but the last; one empty
/// piece for 0.
std::vector<int> message_pieces(std::int64_t bytes);

/// Messages on their way. The buffers must live, untouched, until test() or wait() says that all
/// are through. Messages of one sender, receiver and tag match in the order in which each side
/// posts them. Destroying an unfinished set abandons its messages: only for paths that end the job.
class RequestSet {
 public:
  /// Posts a send or a receive of the whole span, of any length.
  void isend(const Communicator& comm, std::span<const std::byte> data, int peer, int tag);
  void irecv(const Communicator& comm, std::span<std::byte> data, int peer, int tag);

  /// True when every message is through. Never blocks; drives MPI.
  bool test();
  /// Returns when every message is through. Throws Stopped.
  void wait(const WaitPolicy& policy);

 private:
  struct Traits {
    using Handle = MPI_Request;
    static Handle null() noexcept { return MPI_REQUEST_NULL; }
    static void release(Handle handle) noexcept;
  };

  std::vector<UniqueHandle<Traits>> pieces_;
  std::size_t finished_ = 0;  // pieces before it are through
};

/// Takes one message of data.size() bytes with this tag that has arrived, from whichever rank;
/// false when there is none. Never waits for one to be sent; for messages short enough to travel in
/// one piece.
bool receive_arrived(const Communicator& comm, std::span<std::byte> data, int tag);

/// One message on its way; as RequestSet.
class Request {
 public:
  bool test() { return set_.test(); }
  void wait(const WaitPolicy& policy) { set_.wait(policy); }

 private:
  friend Request isend(const Communicator&, std::span<const std::byte>, int, int);
  friend Request irecv(const Communicator&, std::span<std::byte>, int, int);
  RequestSet set_;
};

[[nodiscard]] Request isend(const Communicator& comm, std::span<const std::byte> data, int peer,
                            int tag);
[[nodiscard]] Request irecv(const Communicator& comm, std::span<std::byte> data, int peer, int tag);

}  // namespace hpl::mpi
