#include "page_data.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleets.h"
#include "hpl/base/record/record.h"
#include "hpl/report/result/device_telemetry.h"

namespace hpl::page {

namespace {

using Json = nlohmann::ordered_json;

Json group_data(const Group& group, bool in_full) {
  Json rates = Json::array();
  for (const RunResult* run : group.runs)
    if (const auto rate = rate_of(*run)) rates.push_back(*rate);
  return {{"label", group.label},
          {"status", to_string(group.status())},
          {"best", rate_of(group.best()).value_or(0)},
          {"rates", std::move(rates)},
          {"run", in_full ? to_json_value(group.best()) : Json(nullptr)}};
}

/// The members of a document that are neither runs nor of a fleet, which stand beside them.
Json file_data(const RunFile& file, const std::string& name) {
  Json document = file.document.is_null() ? Json::object() : file.document;
  if (file.job.preflight) document["preflight"] = to_json_value(*file.job.preflight);
  return {{"name", name}, {"document", std::move(document)}};
}

/// Runs have been summed up in the figures of the members.
Json fleet_data(const FleetReport& report) {
  Json fleet = to_json_value(report).at("fleet");
  for (Json& member : fleet.at("members"))
    member.erase("runs");
  return fleet;
}

}  // namespace

std::string page_data(std::span<const RunFile> files, std::span<const Group> groups,
                      std::span<const std::size_t> in_full) {
  Json data = {{"limits", {{"hot_celsius", kHotCelsius}, {"slow_clock", kSlowClockFraction}}},
               {"files", Json::array()},
               {"groups", Json::array()},
               {"fleets", Json::array()}};
  const std::vector<std::string> names = short_names(files);
  for (std::size_t i = 0; i < files.size(); ++i)
    data["files"].push_back(file_data(files[i], names[i]));
  for (std::size_t i = 0; i < groups.size(); ++i)
    data["groups"].push_back(group_data(groups[i], std::ranges::find(in_full, i) != in_full.end()));
  const std::vector<const FleetReport*> fleets = fleets_by_time(files);
  for (const FleetReport* fleet : fleets)
    data["fleets"].push_back(fleet_data(*fleet));
  data["fleets_differ"] = difference_of_runs(fleets);
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace hpl::page
