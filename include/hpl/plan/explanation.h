#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/job/ranks/machine.h"
#include "hpl/machine/decide/decide.h"
#include "hpl/machine/host/memory.h"
#include "hpl/plan/automatic_plan.h"
#include "hpl/plan/time_estimate.h"

namespace hpl {

/// The subject of an explanation: the plan, and its sources.
struct ExplainedPlan {
  const Options& options;
  const HplDat& dat;       ///< complete; its remarks hold the reasons of what was chosen
  std::string input_name;  ///< of the file that was read; empty: none
  const RankLayout& layout;
  const Machine& machine;
  const RunSpec& spec;  ///< the run that is explained, the first one
  const RunSettings& settings;
};

/// N, NB, P, Q, the machine and the settings of the run, each with its reason.
std::vector<Decision> decisions_of(const ExplainedPlan& plan);
/// They as a table, of the first of so many runs.
std::string choices_text(std::span<const Decision> choices, std::size_t runs);

/// A plan as text: every run with its memory per rank and, if it can be estimated, its time. The
/// memory of the run that needs most is shown by parts.
std::string describe_plan(const std::vector<RunSpec>& plan,
                          const std::vector<RunSettings>& settings, const MemoryBound& memory,
                          const TimeEstimate& estimate);

}  // namespace hpl
