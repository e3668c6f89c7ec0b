#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hpl/run/report/job_report.h"

namespace hpl {

/// A command that the results of a job suggest, and the reason.
struct NextStep {
  std::string what, reason;
};

/// Facts for next_steps() beside the results.
struct NextFacts {
  double memory_share = 1;        ///< of a rank's memory, that the largest run took
  std::int64_t larger_order = 0;  ///< N of --auto; 0: unknown, or no larger than that of the runs
  double larger_seconds = 0;      ///< its duration
  int node_gpus = 0;              ///< of rank 0's node; 0: the runs are on processors
  int node_ranks = 0;             ///< on that node
  std::string document;           ///< file of --json; empty: none
};

/// The command line of xhpl that starts a command with this number of ranks, each with its own
/// cores: "xhpl launch -n 2 run --auto".
std::string launch_text(int ranks, const std::string& command);

/// At most three, the most useful first. Follows from the arguments alone.
std::vector<NextStep> next_steps(const JobReport& job, const NextFacts& facts);

}  // namespace hpl
