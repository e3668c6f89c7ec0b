#pragma once

#include <string>

#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/job/setup/automatic_plan.h"
#include "hpl/job/setup/machine.h"
#include "hpl/job/setup/run_settings.h"

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

/// N, NB, P, Q and the main settings, each with the reason for it in a sentence.
std::string explain_plan(const ExplainedPlan& plan);

}  // namespace hpl
