#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Reasons for which the rate of a run is no measure of its machine, a sentence each: other
/// processes on the cores that computed, and products whose rate alone changed meanwhile.
std::vector<std::string> disturbances(const RunResult& run);

/// Whether other processes are such a reason.
bool is_disturbed(const RunResult& run);

/// "other processes took up to 94 % of the cores of node01 (10 of 10 runs)"; empty where none of
/// the runs is_disturbed().
std::string disturbance_text(std::span<const RunResult* const> runs);
std::string disturbance_text(std::span<const RunResult> runs);

/// Other processes alone as a reason, beside a measurement on processors or on GPUs. Empty: they
/// took too little, or it is unknown.
std::vector<std::string> disturbances(const std::optional<OtherProcesses>& others,
                                      bool on_processors);

}  // namespace hpl
