#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

/// Counts the messages that this process sends by MPI_Isend: included by one source of a test, it
/// stands between the program and MPI.
namespace hpl::test {

struct SentMessages {
  std::int64_t messages = 0, bytes = 0;

  SentMessages operator-(const SentMessages& other) const {
    return {messages - other.messages, bytes - other.bytes};
  }
};
/// Since the start of the process. To be read while no other thread sends.
inline SentMessages sent_messages;

}  // namespace hpl::test

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  int size = 0;
  MPI_Type_size(type, &size);
  // Several threads send.
  ++std::atomic_ref(hpl::test::sent_messages.messages);
  std::atomic_ref(hpl::test::sent_messages.bytes) += std::int64_t{count} * size;
  return PMPI_Isend(data, count, type, peer, tag, comm, request);
}
