#include "hpl/comm/mpi/failure.h"

#include <array>
#include <memory>

#include <fmt/format.h>
#include <mpi.h>

#include "check.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/wait_policy.h"

namespace hpl::mpi {

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  HPL_MPI_CHECK(MPI_Get_processor_name(name.data(), &length));
  return std::string(name.data(), static_cast<std::size_t>(length));
}

void agree_or_throw(const Communicator& comm, const std::optional<std::string>& local_error) {
  const std::int64_t none = comm.size();
  const std::int64_t lowest =
      comm.all_reduce(local_error ? std::int64_t{comm.rank()} : none, Reduce::Min);
  if (lowest == none) return;
  const std::int64_t failed = comm.all_reduce(std::int64_t{local_error ? 1 : 0}, Reduce::Sum);
  const int reporter = static_cast<int>(lowest);

  std::string text;
  if (comm.rank() == reporter) {
    text = fmt::format("rank {} on {}: {}", reporter, host_name(), *local_error);
    if (failed > 1)
      text += fmt::format(" (and {} more rank{} failed)", failed - 1, failed > 2 ? "s" : "");
  }
  throw AgreedFailure(comm.broadcast(text, reporter));
}

std::string common_reason(const Communicator& comm, const std::string& local_reason) {
  const int mine = local_reason.empty() ? comm.size() : comm.rank();
  const auto first = static_cast<int>(comm.all_reduce(mine, Reduce::Min));
  return first == comm.size() ? std::string() : comm.broadcast(local_reason, first);
}

std::string common_reason(const Communicator& comm, const std::string& local_reason,
                          std::chrono::milliseconds patience) {
  auto arrived = std::make_unique<int>(0);
  MPI_Request request = MPI_REQUEST_NULL;
  HPL_MPI_CHECK(
      MPI_Iallreduce(MPI_IN_PLACE, arrived.get(), 1, MPI_INT, MPI_SUM, comm.handle(), &request));
  const auto deadline = std::chrono::steady_clock::now() + patience;
  bool all_here = false;
  const auto over = [&] {
    int done = 0;
    HPL_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    all_here = done != 0;
    return all_here || (!local_reason.empty() && std::chrono::steady_clock::now() >= deadline);
  };
  wait_until({.spin = std::chrono::milliseconds(1)}, over);
  if (all_here) return common_reason(comm, local_reason);
  static_cast<void>(arrived.release());  // MPI may still write to it
  throw RunError("{}; other ranks wait for this one inside the library", local_reason);
}

}  // namespace hpl::mpi
