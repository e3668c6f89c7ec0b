#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/json/json_cursor.h"
#include "hpl/report/result/fleet_report.h"

namespace hpl {

// Fields of a fleet's document. All throw ConfigError with the place, what was found there and what
// is allowed.

/// The enumerator whose word stands there.
template <class Enum>
Enum word_at(const JsonCursor& from, const char* key, std::initializer_list<Enum> all) {
  const JsonCursor value = from.at(key);
  const std::string word = value.text();
  std::string allowed;
  for (const Enum one : all) {
    if (to_string(one) == word) return one;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", to_string(one));
  }
  value.refuse("one of " + allowed);
}

FleetFigure figure_of(const JsonCursor& value);
/// Unknown where it is missing.
ZonedTime time_at(const JsonCursor& from, const char* key);
int int_at(const JsonCursor& from, const char* key);
/// The number of a rank.
int fleet_rank_of(const JsonCursor& value);
/// 0 where it is missing, or was not finite.
double number_at(const JsonCursor& from, const char* key);
/// Small enough for sums of many.
std::optional<std::int64_t> find_count(const JsonCursor& from, const char* key);
NamedValues values_at(const JsonCursor& from, const char* key);
std::vector<FleetFinding> read_findings(const JsonCursor& from);
FleetVerdict read_verdict(const JsonCursor& from);

}  // namespace hpl
