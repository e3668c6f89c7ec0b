#pragma once

#include <string>
#include <vector>

#include "hpl/base/json/json_cursor.h"
#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// The member "expected" of a run.
Expectation read_expectation(const JsonCursor& from);

/// What of it a reader should see first: nothing of a run that is as expected.
std::vector<std::string> expectation_findings(const Run& run);

}  // namespace hpl::page
