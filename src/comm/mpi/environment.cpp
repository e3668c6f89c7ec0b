#include "hpl/comm/mpi/environment.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "check.h"

namespace hpl::mpi {

namespace {

volatile std::sig_atomic_t abort_code = 0;

/// MPI_Abort takes down what other threads of this rank may be using: a fault of theirs would be
/// the exit code of the job.
void end_by_this_code_at_a_fault(ExitCode code) {
  abort_code = static_cast<int>(code);
  struct sigaction action {};
  action.sa_handler = [](int) { _exit(abort_code); };
  for (const int fault : {SIGSEGV, SIGBUS, SIGABRT})
    sigaction(fault, &action, nullptr);
}

}  // namespace

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

Environment::~Environment() {
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
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
  end_by_this_code_at_a_fault(code);
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

std::optional<bool> claims_device_memory([[maybe_unused]] DeviceVendor vendor) {
#if defined(MPIX_GPU_SUPPORT_CUDA) && defined(MPIX_GPU_SUPPORT_HIP)  // MPICH and its kin
  int supported = 0;
  MPIX_GPU_query_support(
      vendor == DeviceVendor::Nvidia ? MPIX_GPU_SUPPORT_CUDA : MPIX_GPU_SUPPORT_HIP, &supported);
  return supported != 0;
#else
#if defined(MPIX_CUDA_AWARE_SUPPORT)  // Open MPI and its kin
  if (vendor == DeviceVendor::Nvidia) return MPIX_Query_cuda_support() != 0;
#endif
#if defined(OMPI_HAVE_MPI_EXT_ROCM)
  if (vendor == DeviceVendor::Amd) return MPIX_Query_rocm_support() != 0;
#endif
  return std::nullopt;
#endif
}

}  // namespace hpl::mpi
