#pragma once

#include <string>
#include <vector>

#include "hpl/app/machine.h"
#include "hpl/config/options.h"
#include "hpl/pipeline/factorization.h"

namespace hpl {

/// How runs are carried out on this machine, as the options ask and the machine allows.
struct RunSettings {
  PipelineKind pipeline = PipelineKind::Coarse;
  PipelineSettings stages;
  std::int64_t checksum_interval = 1;  ///< steps between comparisons, where checksums are carried
  std::vector<std::string> remarks;    ///< what is used in place of what was asked for
};
RunSettings choose_settings(const RunSpec& spec, const Machine& machine, const Options& options);

/// Remarks on what `spec` asks for and this program does otherwise.
std::vector<std::string> remarks_on(const RunSpec& spec);

/// Bytes that the process with the largest part needs for a run.
std::int64_t bytes_per_rank(const RunSpec& spec, const PipelineSettings& settings);

/// Largest order, a multiple of the block size, whose bytes_per_rank is at most `bytes`; the other
/// fields of `spec` count.
std::int64_t largest_order(RunSpec spec, const PipelineSettings& settings, std::int64_t bytes);

/// Throws ConfigError when a run of the plan needs more memory than there is; says how much, where,
/// and what would fit. Pure.
void check_memory(const std::vector<RunSpec>& plan, const std::vector<RunSettings>& settings,
                  const MemoryBound& memory);

}  // namespace hpl
