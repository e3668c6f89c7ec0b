#include "hpl/comm/mpi/failure.h"

#include <array>

#include <fmt/format.h>
#include <mpi.h>

#include "check.h"
#include "hpl/base/error/error.h"

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

}  // namespace hpl::mpi
