#pragma once

#include "hpl/base/json/json_cursor.h"
#include "hpl/report/page/prediction.h"

namespace hpl::page {

/// A document of docs/schema/prediction.schema.json.
Predictions read_predictions(const JsonCursor& from);

}  // namespace hpl::page
