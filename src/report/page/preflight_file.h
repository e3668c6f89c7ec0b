#pragma once

#include "hpl/report/page/run_file.h"
#include "json_cursor.h"

namespace hpl::page {

/// The member "preflight" of a document.
Preflight read_preflight(const JsonCursor& from);

}  // namespace hpl::page
