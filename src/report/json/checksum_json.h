#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "hpl/base/json/json_cursor.h"
#include "hpl/base/result/verification.h"

namespace hpl {

/// As docs/schema/run.schema.json describes it; null where no checksums were carried.
nlohmann::ordered_json checksum_object(const std::optional<ChecksumResult>& checksums);
/// From the document of a fleet, whose numbers of ranks are limited.
ChecksumResult read_checksums(const JsonCursor& from);

}  // namespace hpl
