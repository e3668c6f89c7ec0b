#pragma once

#include "hpl/base/error/error.h"
#include "hpl/base/record/program_info.h"
#include "hpl/check/findings/check_report.h"

namespace hpl {

/// The document of `xhpl check --json`: summaries, findings, and everything known of every rank.
struct CheckDocument {
  ProgramInfo program;
  CheckReport check;
  ExitCode exit_code = ExitCode::Passed;
};
void describe(Record& record, CheckDocument& document);

}  // namespace hpl
