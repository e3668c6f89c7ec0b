#pragma once

#include <nlohmann/json.hpp>

#include "hpl/base/json/json_cursor.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// A run as docs/schema/run.schema.json describes it.
nlohmann::ordered_json spec_object(const RunSpec& spec);
/// Throws ConfigError where it is none.
RunSpec read_spec(const JsonCursor& from);

}  // namespace hpl
