#pragma once

#include <span>
#include <string>

#include "hpl/run/report/job_report.h"
#include "hpl/run/report/next_steps.h"

namespace hpl {

/// The last line of a report, at most 80 columns: how the job ended, its best rate, or its first
/// fault.
std::string summary_line(const JobReport& job);

/// A line each, a command with its reason as a comment: "# next: xhpl check  # products
/// ...".
std::string next_lines(std::span<const NextStep> steps);

}  // namespace hpl
