#pragma once

#include <string>

#include "hpl/base/record/program_info.h"
#include "hpl/report/csv/csv_file.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// The table of runs: xhpl run --csv.
CsvTable run_table();

/// The row of one run, with the line end. What is not known or not finite is empty.
std::string run_row(const RunResult& run, const ProgramInfo& program);

}  // namespace hpl
