#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hpl/app/machine.h"
#include "hpl/app/run_settings.h"
#include "hpl/pipeline/recorder.h"
#include "hpl/report/run_result.h"
#include "hpl/transport/transport.h"

namespace hpl {

/// What a run needs beside its spec.
struct RunRequest {
  const Machine& machine;
  const RunSettings& settings;
  std::optional<TransportKind> transport = {};  ///< empty: the fastest
  double watchdog_seconds = 600;
  StepCallback on_step{};  ///< called on grid rank 0
  /// On grid rank 0: what RankPulses gathers, now and then. Needs `pulses` on every rank.
  std::function<void(const std::string&)> on_ranks{};
  bool pulses = false;
};

/// Carries out one run on the ranks of `ranks`, exactly P x Q of them: generate, factorize, solve,
/// verify. Collective. The result is complete on rank 0. `spans`, where not null, receives this
/// rank's time line. Throws the failure of this rank; other ranks may then be left waiting.
RunResult run_benchmark(const RunSpec& spec, const mpi::Communicator& ranks,
                        const RunRequest& request, std::vector<Span>* spans = nullptr);

}  // namespace hpl
