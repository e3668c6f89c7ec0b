#include "hpl/comm/mpi/request.h"

#include "check.h"
#include "hpl/base/error/error.h"

namespace hpl::mpi {

std::vector<int> message_pieces(std::int64_t bytes) {
  HPL_ASSERT(bytes >= 0);
  std::vector<int> pieces(static_cast<std::size_t>(bytes / kLargestPiece),
                          static_cast<int>(kLargestPiece));
  const std::int64_t rest = bytes % kLargestPiece;
  if (rest > 0 || pieces.empty()) pieces.push_back(narrow_to_int(rest));
  return pieces;
}

void RequestSet::Traits::release(MPI_Request handle) noexcept {
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  MPI_Cancel(&handle);
  MPI_Request_free(&handle);
}

void RequestSet::isend(const Communicator& comm, std::span<const std::byte> data, int peer,
                       int tag) {
  const std::byte* at = data.data();
  for (const int length : message_pieces(std::ssize(data))) {
    MPI_Request request = MPI_REQUEST_NULL;
    HPL_MPI_CHECK(MPI_Isend(at, length, MPI_BYTE, peer, tag, comm.handle(), &request));
    pieces_.emplace_back(request);
    at += length;
  }
}

void RequestSet::irecv(const Communicator& comm, std::span<std::byte> data, int peer, int tag) {
  comm.count_received(std::ssize(data));
  std::byte* at = data.data();
  for (const int length : message_pieces(std::ssize(data))) {
    MPI_Request request = MPI_REQUEST_NULL;
    HPL_MPI_CHECK(MPI_Irecv(at, length, MPI_BYTE, peer, tag, comm.handle(), &request));
    pieces_.emplace_back(request);
    at += length;
  }
}

bool RequestSet::test() {
  // Up to the first that is not through: one poll costs one round of MPI's progress however many
  // are in flight.
  for (; finished_ < pieces_.size(); ++finished_) {
    int done = 0;
    HPL_MPI_CHECK(MPI_Test(pieces_[finished_].address(), &done, MPI_STATUS_IGNORE));
    if (done == 0) return false;
  }
  pieces_.clear();
  finished_ = 0;
  return true;
}

void RequestSet::wait(const WaitPolicy& policy) {
  wait_until(policy, [this] { return test(); });
}

bool receive_arrived(const Communicator& comm, std::span<std::byte> data, int tag) {
  int arrived = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  HPL_MPI_CHECK(
      MPI_Improbe(MPI_ANY_SOURCE, tag, comm.handle(), &arrived, &message, MPI_STATUS_IGNORE));
  if (arrived == 0) return false;
  HPL_MPI_CHECK(MPI_Mrecv(data.data(), narrow_to_int(std::ssize(data)), MPI_BYTE, &message,
                          MPI_STATUS_IGNORE));
  comm.count_received(std::ssize(data));
  return true;
}

Request isend(const Communicator& comm, std::span<const std::byte> data, int peer, int tag) {
  Request request;
  request.set_.isend(comm, data, peer, tag);
  return request;
}

Request irecv(const Communicator& comm, std::span<std::byte> data, int peer, int tag) {
  Request request;
  request.set_.irecv(comm, data, peer, tag);
  return request;
}

}  // namespace hpl::mpi
