#include "hpl/comm/mpi/side_channel.h"

#include <mpi.h>

#include "check.h"
#include "hpl/base/error/error.h"

namespace hpl::mpi {

namespace {

constexpr int kTag = 0;

}  // namespace

void SideChannel::send(int to, std::string text) {
  HPL_ASSERT(text.size() <= kLongestText);
  Sent& sent = sent_.emplace_back(Sent{std::move(text), {}});
  sent.request.isend(comm_, std::as_bytes(std::span(sent.text)), to, kTag);
}

std::optional<SideChannel::Message> SideChannel::receive() {
  sent_.remove_if([](Sent& sent) { return sent.request.test(); });
  MPI_Message matched = MPI_MESSAGE_NULL;
  MPI_Status status;
  int found = 0;
  HPL_MPI_CHECK(MPI_Improbe(MPI_ANY_SOURCE, kTag, comm_.handle(), &found, &matched, &status));
  if (found == 0) return std::nullopt;
  int length = 0;
  HPL_MPI_CHECK(MPI_Get_count(&status, MPI_BYTE, &length));
  Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
  // All of it came with its envelope: texts are short.
  HPL_MPI_CHECK(MPI_Mrecv(message.text.data(), length, MPI_BYTE, &matched, MPI_STATUS_IGNORE));
  return message;
}

}  // namespace hpl::mpi
