#pragma once

#include <string>

#include "hpl/base/json/json_cursor.h"
#include "hpl/report/result/fleet_report.h"

namespace hpl {

/// Raised as kReportSchemaVersion is.
inline constexpr int kFleetSchemaVersion = 1;

/// As docs/schema/fleet.schema.json describes it.
std::string fleet_json(const FleetReport& report);

/// What a fleet may be compared with later: the same document without hosts and units.
std::string reference_json(const FleetReport& report);

/// Whether a document is one of these.
bool is_fleet(const JsonCursor& document);

/// The report in such a document, as it was written. Throws ConfigError where it is none.
FleetReport read_fleet(const JsonCursor& document);

/// What such a document, from the file `source`, says as a reference. Throws ConfigError where it
/// has no figures to compare with.
FleetReference read_reference(const JsonCursor& document, const std::string& source);

}  // namespace hpl
