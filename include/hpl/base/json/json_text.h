#pragma once

#include <string>
#include <string_view>

#include "hpl/base/json/json_cursor.h"

namespace hpl {

/// `text` as JSON. `name` starts every message, `writer` says who makes such documents: "xhpl
/// --json". Throws ConfigError with line and column where it is none, or deeper than any of ours.
JsonCursor::Json parse_json(const std::string& name, std::string_view text,
                            std::string_view writer);

/// The content of a file, which may be a pipe. Throws ConfigError with the path and the reason when
/// it cannot be read, or is larger than any of our documents.
std::string read_json_text(const std::string& path);

}  // namespace hpl
