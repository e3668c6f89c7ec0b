#pragma once

#include <string>
#include <vector>

#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/job/setup/automatic_plan.h"
#include "hpl/job/setup/machine.h"
#include "hpl/machine/decide/decide.h"

namespace hpl {

/// What there is to explain: the plan, and what it was made from.
struct ExplainedPlan {
  const Options& options;
  const HplDat& dat;       ///< complete; its remarks hold the reasons of what was chosen
  std::string input_name;  ///< of the file that was read; empty: none
  const Layout& layout;
  const Machine& machine;
  const RunSpec& spec;  ///< the run that is explained, the first one
  const RunSettings& settings;
  std::size_t runs = 1;
  double attainable_gflops = 0;  ///< of all ranks; 0: not measured
};

/// N, NB, P, Q, the machine and the settings of the run, each with its reason.
std::vector<Decision> decisions_of(const ExplainedPlan& plan);
/// The same as a table, with the measured rate.
std::string explain_plan(const ExplainedPlan& plan);

}  // namespace hpl
