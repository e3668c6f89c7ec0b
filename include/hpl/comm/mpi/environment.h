#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "hpl/base/choice/choice.h"
#include "hpl/base/error/error.h"

namespace hpl::mpi {

/// MPI's promises to threads, weakest first (MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE).
enum class ThreadLevel { Single, Funneled, Serialized, Multiple };
inline constexpr std::array<Choice<ThreadLevel>, 4> kThreadLevels{
    {{ThreadLevel::Single, "single"},
     {ThreadLevel::Funneled, "funneled"},
     {ThreadLevel::Serialized, "serialized"},
     {ThreadLevel::Multiple, "multiple"}}};
inline std::string_view to_string(ThreadLevel level) {
  return name_of(kThreadLevels, level);
}

/// MPI for the lifetime of the process: initialized with MPI_THREAD_MULTIPLE asked for, finalized
/// at the end. One per process, made and destroyed by the main thread. The destructor is collective
/// over all ranks: a rank that cannot reach it together with the others calls abort_job().
class Environment {
 public:
  /// Throws RunError when MPI is initialized already or cannot start.
  Environment();
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// The level that the library granted. Less than Multiple rules out the pipeline of several
  /// workers.
  ThreadLevel thread_level() const { return thread_level_; }

 private:
  ThreadLevel thread_level_;
};

/// Version text of the MPI library, first line.
std::string library_version();

/// Ends the job on every rank at once with `code`, after flushing this rank's output. Any thread
/// may call it, whatever the others do: faults of theirs from here on change nothing.
[[noreturn]] void abort_job(ExitCode code);

/// The vendors whose device memory MPI may be asked to move.
enum class DeviceVendor { Nvidia, Amd };

/// This MPI's own claim: it moves such memory, it does not, or nothing. A yes is a promise of the
/// library as it was built, not of the network in use.
std::optional<bool> claims_device_memory(DeviceVendor vendor);

}  // namespace hpl::mpi
