#pragma once

#include <string>

#include "hpl/base/error/error.h"
#include "hpl/machine/check/check_report.h"
#include "hpl/report/result/job_report.h"

namespace hpl {

/// Raised as kReportSchemaVersion is.
inline constexpr int kCheckSchemaVersion = 1;

/// The document of --check --json, which docs/schema/check.schema.json describes: summaries,
/// findings, and everything known of every rank.
std::string check_json(const ProgramInfo& program, const CheckReport& report, ExitCode code);

}  // namespace hpl
