#include "page_data.h"

#include "hpl/base/record/record.h"
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

}  // namespace

std::string page_data(std::span<const RunFile> files, std::span<const Group> groups,
                      std::span<const std::size_t> in_full) {
  Json data = {{"files", Json::array()}};
  const std::vector<std::string> names = short_names(files);
  for (std::size_t i = 0; i < files.size(); ++i)
    data["files"].push_back(file_data(files[i], names[i]));
  data.update(runs_data(groups, in_full));
  data.update(fleet_data(fleets_of(files)));
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace hpl::page
