#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/communicator.h"

namespace hpl::mpi {

/// Name of this rank's machine.
std::string host_name();

/// A failure that every rank knows of: all throw it at the same place, so that one can speak for
/// all and the job can end in order.
class AgreedFailure : public RunError {
 public:
  using RunError::RunError;
};

/// Ranks fail together: returns when no rank has an error, else throws AgreedFailure with the same
/// text on every rank, that of the lowest failing rank with its number and host. Collective over
/// comm.
void agree_or_throw(const Communicator& comm, const std::optional<std::string>& local_error);

/// The reason of the lowest rank that has one, on every rank; empty when none has. Collective.
std::string common_reason(const Communicator& comm, const std::string& local_reason);

/// The same after calls of a library that may keep the other ranks for ever once it has refused one
/// of them. A rank with a reason waits `patience` for all of them, then throws RunError: a path
/// that ends the job.
std::string common_reason(const Communicator& comm, const std::string& local_reason,
                          std::chrono::milliseconds patience);

}  // namespace hpl::mpi
