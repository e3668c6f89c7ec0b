#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hpl/base/choice/matrix_request.h"
#include "hpl/input/command_line/options.h"
#include "hpl/job/setup/machine.h"
#include "hpl/lu/pipeline/factorization.h"

namespace hpl {

/// What --pipeline names; empty where the program chooses.
std::optional<PipelineKind> pipeline_of(PipelineRequest request);

/// How runs are carried out on this machine, as the options ask and the machine allows.
struct RunSettings {
  PipelineKind pipeline = PipelineKind::Serial;
  PipelineSettings stages;
  std::int64_t checksum_interval = 1;  ///< steps between comparisons, where checksums are carried
  MatrixRequest matrix = MatrixRequest::Device;  ///< where it lives, see place_matrix()
  HostSchedule host_schedule = HostSchedule::Visits;
  bool chunk_is_given = false;                ///< else it may be made narrower
  std::optional<int> visit_steps;             ///< asked for
  std::optional<std::int64_t> visit_columns;  ///< asked for
  std::optional<std::int64_t> pinned_memory;  ///< of a matrix in host memory not more is pinned
  bool host_takes_part = false;               ///< in updates, where columns are in host memory
  std::optional<double> host_share;           ///< that it takes then; empty: by rates
  bool staged_messages = false;               ///< messages may have to pass through pinned memory
  std::vector<std::string> remarks;           ///< what is used in place of what was asked for
};
RunSettings choose_settings(const RunSpec& spec, const Machine& machine, const Options& options);

/// Remarks on what `spec` asks for and this program does otherwise, or does slowly there.
std::vector<std::string> remarks_on(const RunSpec& spec, ProcessorKind kind);

}  // namespace hpl
