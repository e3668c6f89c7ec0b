#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/result/remark.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/comm/transport/transport.h"

namespace hpl {

/// A communicator's transport and what was seen of it.
struct ChosenTransport {
  std::unique_ptr<Transport> transport;
  /// Ring exchange of a few megabytes, slowest rank, GB/s each way; 0 where there is nobody to send
  /// to, or nothing was measured.
  double bandwidth = 0;
  /// Device memory that it has taken, the most of a rank; empty where the device has none of its
  /// own.
  std::optional<std::int64_t> device_bytes{};
  /// Remarks for the user: requests that cannot be met, transports that were slower.
  std::vector<Remark> remarks;
};

/// Requirements on a transport.
struct TransportNeeds {
  std::optional<TransportKind> kind;  ///< empty: choose_transport() chooses
  /// In place of the faster of two: which transport it is follows from no measurement.
  bool first_that_works = false;
  std::int64_t least_piece_bytes = 0;  ///< that a single transfer must be able to take
  /// Apart from messages to both neighbours in the ring. NCCL opens these ways alone.
  MessageWays ways{};
  mpi::WaitPolicy wait;
  /// For the other ranks, where a library of the device has refused this one.
  std::chrono::milliseconds patience = std::chrono::seconds(15);
};

/// Pinned memory of the transport through the host.
std::int64_t staging_bytes(std::int64_t least_piece_bytes);

/// Whether `next` is tried beside the best so far, which reaches `bandwidth` GB/s each way. Pure.
bool may_be_better(TransportKind next, TransportKind best, double bandwidth);

/// The transport asked for; otherwise mapped memory where all ranks of `comm` can have it, since
/// copies leave all multiprocessors to products; otherwise NCCL; otherwise one through MPI. Of
/// copies without NVLink and NCCL the faster is kept, and of both ways through MPI.
/// Processors measure nothing: ranks of one node copy out of each other's memory, all others and
/// those that may not share memory use MPI. Collective over `comm`, same answer on all ranks.
/// Throws ConfigError where the one that was asked for cannot be had, and RunError on a rank that a
/// library has refused while it keeps the others.
ChosenTransport choose_transport(const mpi::Communicator& comm, hpcx::Device& device,
                                 const TransportNeeds& needs);

/// Whether this MPI moves device memory between the ranks of `comm`: empty, or why not, in words.
/// Believes the library's word only where it says no; a yes is tried out with messages of several
/// sizes. Collective over `comm`, same answer on all ranks.
std::string why_no_device_messages(const mpi::Communicator& comm, hpcx::Device& device,
                                   const mpi::WaitPolicy& wait);

}  // namespace hpl
