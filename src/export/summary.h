#pragma once

#include <string>
#include <vector>

#include "hpl/export/suite.h"

namespace hpl::page {

// Parts of the summaries for people: text and Markdown.

/// "FAILED: fleet on node[01-04], NVIDIA H100"
std::string verdict_line(const Suite& suite);
/// "N = 20000, NB = 256, 1 x 1"; empty where the cases have several runs or none.
std::string run_line(const Suite& suite);
/// "7 of 8 members passed, 1 warned; rate 70.2 to 101 GFLOP/s, median 100 GFLOP/s"
std::string result_line(const Suite& suite);
/// "run.json, started 2026-01-03T04:00:00Z, xhpl 0.2.0"
std::string origin_line(const Suite& suite);

/// The cases that a person reads: all that measured, and those that failed by themselves.
std::vector<const Case*> shown_cases(const Suite& suite);

}  // namespace hpl::page
