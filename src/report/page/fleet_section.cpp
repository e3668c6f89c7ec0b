#include <algorithm>

#include <fmt/format.h>

#include "fleets.h"
#include "format.h"
#include "hpl/base/text/zoned_time.h"
#include "sections.h"

namespace hpl::page {

namespace {

/// "2026-11-22 07:30", where the fleet was.
std::string day_of(const FleetReport& fleet) {
  const std::string time = iso_time(fleet.started);
  return time.size() >= 16 ? time.substr(0, 10) + " " + time.substr(11, 5) : "unknown";
}

std::string list_row(const char* name, const std::string& hosts) {
  return fmt::format(R"(<tr><th scope="row">{}</th><td><code>{}</code></td></tr>)", name,
                     hosts.empty() ? "none" : escape(hosts));
}

}  // namespace

std::vector<const FleetReport*> fleets_by_time(std::span<const RunFile> files) {
  std::vector<const FleetReport*> fleets;
  for (const RunFile& file : files)
    if (file.fleet) fleets.push_back(&*file.fleet);
  std::ranges::stable_sort(fleets, {},
                           [](const FleetReport* fleet) { return fleet->started.seconds; });
  return fleets;
}

std::string difference_of_runs(std::span<const FleetReport* const> fleets) {
  for (const FleetReport* fleet : fleets)
    if (const auto difference = run_difference(fleet->spec, fleets.back()->spec))
      return fmt::format(
          "The runs differ ({} on {}; {} last): changes against peers count, changes of all do "
          "not.",
          difference->one, day_of(*fleet), difference->other);
  return {};
}

std::string fleet_tally(std::span<const RunFile> files) {
  const auto fleets = fleets_by_time(files);
  if (fleets.empty()) return {};
  const std::vector<FleetHost>& hosts = fleets.back()->hosts;
  return fmt::format("{} of {} passed",
                     std::ranges::count(hosts, FleetVerdict::Passed, &FleetHost::verdict),
                     count_text(hosts.size(), "host"));
}

std::string fleet_section(std::span<const RunFile> files) {
  const auto fleets = fleets_by_time(files);
  if (fleets.empty()) return {};
  const FleetReport& fleet = *fleets.back();
  std::string html = fmt::format(
      R"(<section class="fleet"><h2>Fleet</h2><p class="variant">Each {} for itself, {}, from {}.</p>)",
      name_of(kFleetMemberKinds, fleet.each), escape(run_of_members(fleet.spec)), day_of(fleet));
  if (const std::string label = mode_label(fleet.spec); !label.empty())
    html += fmt::format(R"(<p class="variant">{}</p>)", escape(label));
  for (const std::string& remark : fleet.remarks)
    html += fmt::format(R"(<p class="remark">{}</p>)", escape(remark));
  return html + R"(<div class="scroll"><table class="pairs"><tbody>)" +
         list_row("Passed", fleet.pass_list) + list_row("To exclude", fleet.fail_list) +
         "</tbody></table></div><div id=\"fleet\"></div></section>\n";
}

}  // namespace hpl::page
