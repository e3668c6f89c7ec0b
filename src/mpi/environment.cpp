#include "hpl/mpi/environment.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>

#include "hpl/mpi/check.h"
#include "hpl/mpi/failure.h"

namespace hpl::mpi {

std::string_view to_string(ThreadLevel level) {
  switch (level) {
    case ThreadLevel::Single:
      return "single";
    case ThreadLevel::Funneled:
      return "funneled";
    case ThreadLevel::Serialized:
      return "serialized";
    case ThreadLevel::Multiple:
      return "multiple";
  }
  return "?";
}

Environment::Environment() {
  int initialized = 0;
  HPL_MPI_CHECK(MPI_Initialized(&initialized));
  if (initialized != 0) throw RunError("MPI is initialized already");
  int provided = MPI_THREAD_SINGLE;
  HPL_MPI_CHECK(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
  // Communicators inherit it: failures then carry the call and reach the rank's one message.
  HPL_MPI_CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  thread_level_ = provided >= MPI_THREAD_MULTIPLE     ? ThreadLevel::Multiple
                  : provided >= MPI_THREAD_SERIALIZED ? ThreadLevel::Serialized
                  : provided >= MPI_THREAD_FUNNELED   ? ThreadLevel::Funneled
                                                      : ThreadLevel::Single;
}

namespace {

/// Ends the process unless stopped in time. MPI cannot be asked to: it is ending, and stuck there.
void await_end(const std::stop_token& stop, double seconds, int rank, const std::string& host) {
  // The others let rank 0 speak for them, after which the launcher ends them.
  constexpr double kHeadStart = 2;
  const std::chrono::duration<double> limit(seconds + (rank == 0 ? 0 : kHeadStart));
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  const auto asked = [&] { return stop.stop_requested(); };
  if (stopped.wait_for(lock, stop, limit, asked)) return;
  fmt::print(stderr,
             "xhpl: rank {} on {}: this rank is done, but another one has not come to "
             "MPI_Finalize, or not out of it, for {} s\n",
             rank, host, seconds);
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(ExitCode::Broken));
}

}  // namespace

Environment::~Environment() {
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  int rank = 0;
  std::jthread limit;
  if (end_seconds_ > 0 && MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS)
    limit = std::jthread(await_end, end_seconds_, rank, host_name());
  MPI_Finalize();
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  HPL_MPI_CHECK(MPI_Get_library_version(text.data(), &length));
  const std::string whole(text.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of("\n\r"));
}

void abort_job(ExitCode code) {
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

}  // namespace hpl::mpi
