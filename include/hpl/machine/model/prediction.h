#pragma once

#include <string>
#include <vector>

#include "hpl/machine/decide/decide.h"
#include "hpl/machine/model/predicted_time.h"
#include "hpl/machine/model/rates.h"

namespace hpl {

/// Facts for decide() about a machine with these rates.
Facts facts_of(const Rates& rates);
/// A run as it would be carried out there, with these facts of them.
DecidedRun decided_run(const RunSpec& spec, const Rates& rates, const Facts& facts,
                       const Wishes& wishes);
DecidedRun decided_run(const RunSpec& spec, const Rates& rates, const Wishes& wishes = {});

/// Part of the matrix is in host memory.
bool in_host_memory(const DecidedRun& decided);

/// Throws ConfigError where the rates do not have what the decided needs, or are so small or
/// large that no time follows from them. A run of N = 0 takes none.
Prediction predict(ModelKind kind, const DecidedRun& decided, const Rates& rates);

/// By rank of the grid: what it does when, seconds since the start of the run. What workers and
/// streams do, each in the order of its list.
using Timelines = std::vector<std::vector<Span>>;
/// The run as the simulated model has it, to be laid beside the trace of one: a span a task, on the
/// track where a trace has it. Throws as predict() does.
Timelines predicted_timelines(const DecidedRun& decided, const Rates& rates);

/// Throws ConfigError where the rates do not have what the decided needs.
void require_rates(const DecidedRun& decided, const Rates& rates);

/// A warning of the links of a run for which those of the other direction stand, since the rates
/// have none of them.
std::vector<Remark> remarks_on_rates(const DecidedRun& decided, const Rates& rates);

/// The error of the time that a model with measured rates predicts for a run. Seconds; see
/// docs/model.md.
double model_error_seconds(const DecidedRun& decided, const Rates& rates, double predicted_seconds);

}  // namespace hpl
