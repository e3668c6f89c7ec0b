#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hpl/comm/transport/transport.h"
#include "hpl/job/failure/watchdog.h"
#include "hpl/job/setup/machine.h"
#include "hpl/job/setup/run_settings.h"
#include "hpl/lu/pipeline/recorder.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// What a run needs beside its spec.
struct RunRequest {
  const Machine& machine;
  const RunSettings& settings;
  std::optional<TransportKind> transport = {};  ///< empty: the fastest
  bool reproducible = false;  ///< the first transport that works, whichever is the fastest
  Watchdog& watchdog;
  std::string label;  ///< of the run, for messages
  /// Ends the job with what this rank has to say; does not return. Called where a failure is met:
  /// MPI may still read from the memory of the run, so that it must not be given back.
  std::function<void(const std::string& what)> fail;
  std::function<void(const StepRecord&)> on_step{};  ///< called on grid rank 0
  /// On grid rank 0: what ProgressSamples gathers, now and then. Needs `progress_samples` on every
  /// rank.
  std::function<void(const std::string&)> on_ranks{};
  bool progress_samples = false;
  bool working_times = false;  ///< gathers RunResult::rank_working
};

/// Carries out one run on the ranks of `ranks`, exactly P x Q of them: generate, factorize, solve,
/// verify. Collective. The result is complete on rank 0. `spans`, where not null, receives this
/// rank's time line. A failure of this rank ends the job, see RunRequest::fail.
RunResult run_benchmark(const RunSpec& spec, const mpi::Communicator& ranks,
                        const RunRequest& request, std::vector<Span>* spans = nullptr);

}  // namespace hpl
