#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/base/text/text_style.h"
#include "hpl/compare/comparison.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

struct CompareRequest {
  std::vector<std::string> paths;  ///< documents, folders of them, or logs of other programs
  /// The documents of all paths by their dates. Otherwise each path is a side, in this order.
  bool history = false;
  std::optional<double> fail_below{};  ///< percent, below 0
  bool strict = false;                 ///< what that cannot decide was missed
};

/// Reads the documents and compares them. Throws ConfigError with the name of a document that is
/// none, and where fewer than two sides are left. A folder's documents of other kinds are passed
/// over with a remark.
Comparison compare_documents(const CompareRequest& request);

/// Compares fleets in their order.
Comparison compare_fleets(std::span<const FleetReport* const> fleets);

/// The changes from one fleet to another, for the report of the later one.
std::string fleet_changes(const FleetReport& before, const FleetReport& now, Detail detail);

/// "Rates of 3 members: 0 worse, 0 better, 3 within the noise"
std::string comparison_tally(const Comparison& comparison);

/// Tables for people: of two sides in full; of more the values of `figure` by date.
std::string comparison_text(const Comparison& comparison, Figure figure, const TextStyle& style);

namespace page {
/// The part of a page about a comparison, the `number`-th that the script of the page knows: what
/// changed, medians, and the places of what the script draws of each run.
std::string comparison_part(const Comparison& comparison, std::size_t number);
}  // namespace page

/// A table with a row for each member and side: figures, and changes against its first side.
std::string comparison_csv(const Comparison& comparison);

}  // namespace hpl
