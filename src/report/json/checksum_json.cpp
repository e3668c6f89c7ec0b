#include "checksum_json.h"

#include <limits>
#include <utility>

#include "fleet_fields.h"
#include "hpl/report/result/json_values.h"

namespace hpl {

using Json = nlohmann::ordered_json;

Json checksum_object(const std::optional<ChecksumResult>& checksums) {
  if (!checksums) return nullptr;
  Json faults = Json::array();
  for (const ChecksumFault& fault : checksums->faults)
    faults.push_back({{"rank", fault.rank},
                      {"first_step", fault.first_step},
                      {"last_step", fault.last_step},
                      {"rows", fault.rows},
                      {"first_row", fault.first_row},
                      {"difference", number_or_null(fault.difference)},
                      {"tolerance", number_or_null(fault.tolerance)}});
  return {{"interval", checksums->interval},
          {"comparisons", checksums->comparisons},
          {"repeated", checksums->repeated},
          {"faults", std::move(faults)}};
}

ChecksumResult read_checksums(const JsonCursor& from) {
  const auto count = [](const JsonCursor& of, const char* key) {
    return find_count(of, key).value_or(0);
  };
  ChecksumResult checksums{.interval = count(from, "interval"),
                           .comparisons = count(from, "comparisons"),
                           .repeated = from.at("repeated").truth(),
                           .faults = {}};
  for (const JsonCursor& fault : from.elements("faults"))
    checksums.faults.push_back(
        {.rank = fleet_rank_of(fault.at("rank")),
         .first_step = count(fault, "first_step"),
         .last_step = count(fault, "last_step"),
         .rows = count(fault, "rows"),
         .first_row = count(fault, "first_row"),
         // A number that is not finite is null.
         .difference =
             fault.find_number("difference").value_or(std::numeric_limits<double>::infinity()),
         .tolerance = fault.find_number("tolerance").value_or(0)});
  return checksums;
}

}  // namespace hpl
