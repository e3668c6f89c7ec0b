#pragma once

#include <span>
#include <string>

#include "hpl/base/text/text_style.h"
#include "hpl/run/report/job_report.h"

namespace hpl {

// The text of a report before its first run.

/// A line each: "# host : node01". The usual report has those that a reader compares.
std::string environment_lines(const JobHeader& header, Detail detail);
/// A line each: "# remark: ...", "# chosen: P x Q = 1 x 2: ...".
std::string remark_lines(std::span<const Remark> remarks);

/// The lines `NAME   : values` of a report, N to ALIGN, in netlib's order and words (HPL_pdinfo.c):
/// every value of a list takes eight columns and a blank, eight values to a row. Ends with a
/// newline.
std::string parameter_text(const ParameterBlock& block);

}  // namespace hpl
