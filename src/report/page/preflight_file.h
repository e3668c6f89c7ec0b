#pragma once

#include "hpl/base/json/json_cursor.h"
#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// The member "preflight" of a document.
Preflight read_preflight(const JsonCursor& from);

}  // namespace hpl::page
