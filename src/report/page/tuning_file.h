#pragma once

#include "hpl/base/json/json_cursor.h"
#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// A document of xhpl --tune.
Tuning read_tuning(const JsonCursor& from);

}  // namespace hpl::page
