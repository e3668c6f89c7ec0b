#pragma once

#include <string>

#include "hpl/base/json/json_cursor.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

/// As docs/schema/fleet.schema.json describes it.
std::string fleet_json(const FleetReport& report);

/// Whether a document is one of these.
bool is_fleet(const JsonCursor& document);
/// A fleet of version 2, which xhpl 0.2.0 wrote, as one of version 3. Its "fault" may also mean a
/// slow member. Any other document is returned as it is.
JsonCursor::Json renewed_fleet(JsonCursor::Json document);

/// The report in such a document, as it was written. Throws ConfigError where it is none, or
/// contradicts itself.
FleetReport read_fleet(const JsonCursor& document);

/// Reads such a document, from the file `source`, as a reference. Throws ConfigError if it has no
/// figures to compare with.
FleetReference read_reference(const JsonCursor& document, const std::string& source);

/// A document as a part of a merged fleet: a fleet, or an ordinary job as fleet_of() takes it.
/// Throws ConfigError where it is none of these.
FleetReport read_for_merge(JsonCursor::Json document, const std::string& name);

}  // namespace hpl
