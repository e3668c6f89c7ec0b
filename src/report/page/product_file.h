#pragma once

#include "hpl/base/json/json_cursor.h"
#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// An element of the member "products" of a document of xhpl-gemm.
Product read_product(const JsonCursor& from);

}  // namespace hpl::page
