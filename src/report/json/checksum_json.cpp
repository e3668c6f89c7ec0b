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
  ChecksumResult checksums{.interval = from.at("interval").integer(),
                           .comparisons = from.at("comparisons").integer(),
                           .repeated = from.at("repeated").truth(),
                           .faults = {}};
  for (const JsonCursor& fault : from.elements("faults"))
    checksums.faults.push_back(
        {.rank = fleet_rank_of(fault.at("rank")),
         .first_step = fault.at("first_step").integer(),
         .last_step = fault.at("last_step").integer(),
         .rows = fault.at("rows").integer(),
         .first_row = fault.at("first_row").integer(),
         // A number that is not finite is null.
         .difference =
             fault.find_number("difference").value_or(std::numeric_limits<double>::infinity()),
         .tolerance = fault.find_number("tolerance").value_or(0)});
  return checksums;
}

}  // namespace hpl
