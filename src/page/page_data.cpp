#include "page_data.h"

#include "hpl/base/record/record.h"
#include "hpl/compare/compare.h"
#include "hpl/fleet/page/fleet_part.h"
#include "hpl/run/page/run_part.h"

namespace hpl::page {

namespace {

using Json = nlohmann::ordered_json;

/// The members of a document that are neither runs nor of a fleet, which stand beside them.
Json file_data(const RunFile& file, const std::string& name) {
  Json document = file.document.is_null() ? Json::object() : file.document;
  if (file.job.preflight) document["preflight"] = to_json_value(*file.job.preflight);
  return {{"name", name}, {"document", std::move(document)}};
}

/// The newest fleet of each kind of members, and what changed up to it.
Json fleet_groups(std::span<const RunFile> files) {
  Json groups = Json::array();
  for (const auto& fleets : by_member(fleets_of(files)))
    groups.push_back(
        {{"each", name_of(kFleetMemberKinds, fleets.back()->each)},
         {"fleet", fleet_data(*fleets.back())},
         {"comparison", fleets.size() > 1 ? to_json_value(compare_fleets(fleets)) : Json()}});
  return groups;
}

}  // namespace

std::string page_data(std::span<const RunFile> files, std::span<const Group> groups,
                      std::span<const std::size_t> in_full) {
  Json data = {{"files", Json::array()}};
  const std::vector<std::string> names = short_names(files);
  for (std::size_t i = 0; i < files.size(); ++i)
    data["files"].push_back(file_data(files[i], names[i]));
  data.update(runs_data(groups, in_full));
  data["fleet_groups"] = fleet_groups(files);
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace hpl::page
