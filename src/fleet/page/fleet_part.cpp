#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/text/zoned_time.h"
#include "hpl/fleet/page/fleet_part.h"
#include "hpl/fleet/report/fleet_actions.h"
#include "hpl/report/page/format.h"

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

/// Lines to copy; nothing without any.
std::string copied(const char* title, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("<h3>{}</h3><pre>{}</pre>", title, escape(lines));
}

/// Runs have been summed up in the figures of the members.
Record::Json without_runs(const FleetReport& report) {
  Record::Json fleet = to_json_value(report).at("fleet");
  for (Record::Json& member : fleet.at("members"))
    member.erase("runs");
  return fleet;
}

std::string difference_of_runs(Fleets fleets) {
  for (const FleetReport* fleet : fleets)
    if (const auto difference = run_difference(fleet->spec, fleets.back()->spec))
      return fmt::format(
          "The runs differ ({} on {}; {} last): changes against peers count, changes of all do "
          "not.",
          difference->one, day_of(*fleet), difference->other);
  return {};
}

}  // namespace

std::vector<const FleetReport*> by_time(std::vector<const FleetReport*> fleets) {
  std::ranges::stable_sort(fleets, {},
                           [](const FleetReport* fleet) { return fleet->started.seconds; });
  return fleets;
}

std::string fleet_tally(Fleets fleets) {
  if (fleets.empty()) return {};
  const std::vector<FleetHost>& hosts = fleets.back()->hosts;
  const auto count = [&](FleetVerdict verdict) {
    return std::ranges::count(hosts, verdict, &FleetHost::verdict);
  };
  std::string text =
      fmt::format("{} of {} passed", count(FleetVerdict::Passed), count_text(hosts.size(), "host"));
  if (const auto warned = count(FleetVerdict::Warned); warned > 0)
    text += fmt::format(", {} warned", warned);
  return text;
}

bool is_only_unchecked(const FleetReport& fleet) {
  const auto count = [&](FleetVerdict verdict) {
    return std::ranges::count(fleet.hosts, verdict, &FleetHost::verdict);
  };
  const auto unchecked = count(FleetVerdict::Unchecked);
  const auto passed = count(FleetVerdict::Passed) + count(FleetVerdict::Warned);
  return unchecked > 0 && unchecked + passed == std::ssize(fleet.hosts);
}

std::string fleet_section(Fleets fleets) {
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
         list_row("Passed", fleet.pass_list) + list_row("Warned", fleet.warn_list) +
         list_row("To exclude", fleet.fail_list) +
         "</tbody></table></div><div id=\"fleet\"></div>" +
         copied("To drain failed hosts in Slurm", drain_commands(fleet)) +
         copied("Evidence for a ticket", device_evidence(fleet)) + "</section>\n";
}

Record::Json fleet_data(Fleets fleets) {
  Record::Json all = Record::Json::array();
  for (const FleetReport* fleet : fleets)
    all.push_back(without_runs(*fleet));
  return {{"fleets", std::move(all)}, {"fleets_differ", difference_of_runs(fleets)}};
}

}  // namespace hpl::page
