#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/text/zoned_time.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/fleet/page/fleet_part.h"
#include "hpl/fleet/report/fleet_actions.h"
#include "hpl/fleet/report/fleet_text.h"
#include "hpl/report/page/format.h"

namespace hpl::page {

namespace {

/// Lines to copy; nothing without any.
std::string copied(const char* title, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("<h3>{}</h3><pre>{}</pre>", title, escape(lines));
}

std::string_view name_of_each(const FleetReport& fleet) {
  return name_of(kFleetMemberKinds, fleet.each);
}

std::string tally_of(const FleetReport& fleet) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(fleet.hosts, verdict, &FleetHost::verdict);
  };
  std::string text = fmt::format("{} of {} passed", count(Verdict::Passed),
                                 count_text(fleet.hosts.size(), "host"));
  if (const auto warned = count(Verdict::Warned); warned > 0)
    text += fmt::format(", {} warned", warned);
  return text;
}

std::string section_of(const FleetReport& fleet, bool alone) {
  std::string html = fmt::format(
      R"(<section class="fleet"><h2>Fleet{}</h2><p class="variant">Each {} for itself, {}, from {}.</p>)",
      alone ? "" : fmt::format(": each {}", name_of_each(fleet)), name_of_each(fleet),
      escape(run_of_members(fleet.spec)),
      fleet.started.seconds > 0 ? minute_text(fleet.started) : "unknown");
  if (const std::string label = mode_label(fleet.spec); !label.empty())
    html += fmt::format(R"(<p class="variant">{}</p>)", escape(label));
  for (const Remark& remark : fleet.remarks)
    html += fmt::format(R"(<p class="remark">{}</p>)", escape(remark.text));
  Table lists{.title = "Hosts", .columns = columns_of("|")};
  for (const auto& [name, hosts] : {std::pair("Passed", &fleet.pass_list),
                                    {"Warned", &fleet.warn_list},
                                    {"To exclude", &fleet.fail_list}})
    lists.add({name, hosts->empty() ? "none" : *hosts});
  html += html_of(lists, "pairs") +
          fmt::format("<div id=\"fleet-{}\"></div>", name_of_each(fleet)) +
          titled_html_of(worst_table(fleet), "tall cards");
  for (const Table& table : tables_of(fleet))
    html += titled_html_of(table);
  if (fleet.power) {
    for (const Remark& remark : fleet.power->remarks)
      html += fmt::format("<p class=\"remark\">Power meter: {}</p>", escape(remark.text));
    html += titled_list("Missing for the next level of the power", fleet.power->missing);
  }
  return html + titled_list("Not the same everywhere", difference_lines(fleet)) +
         copied("To drain failed hosts in Slurm", drain_commands(fleet)) +
         copied("Evidence for a ticket", device_evidence(fleet)) + "</section>\n";
}

}  // namespace

std::vector<const FleetReport*> by_time(std::vector<const FleetReport*> fleets) {
  std::ranges::stable_sort(fleets, {},
                           [](const FleetReport* fleet) { return fleet->started.seconds; });
  return fleets;
}

bool is_history(const FleetReport& fleet, Fleets fleets) {
  return std::ranges::any_of(fleets, [&](const FleetReport* other) {
    return other->each == fleet.each && other->started.seconds > fleet.started.seconds;
  });
}

std::string fleet_tally(Fleets fleets) {
  const auto groups = by_member(fleets);
  if (groups.size() == 1) return tally_of(*groups.front().back());
  std::string text;
  for (const auto& group : groups)
    text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", tally_of(*group.back()),
                        name_of_each(*group.back()));
  return text;
}

std::vector<std::string> reasons_of(const FleetReport& fleet) {
  std::vector<std::string> failures, warnings;
  const auto add = [&](const auto& one) {
    const Finding* const finding = worst(one.findings);
    if (finding == nullptr || finding->severity == Severity::Remark ||
        finding->basis == Basis::Disturbed ||
        (finding->basis == Basis::Member && fleet.each != FleetMemberKind::Pair))
      return;
    (fails_by(finding->severity) ? failures : warnings)
        .push_back(fmt::format("{}: {}", one.name, finding->text));
  };
  std::ranges::for_each(fleet.members, add);
  std::ranges::for_each(fleet.hosts, add);
  std::ranges::move(warnings, std::back_inserter(failures));
  return failures;
}

bool is_only_unchecked(const FleetReport& fleet) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(fleet.hosts, verdict, &FleetHost::verdict);
  };
  const auto unchecked = count(Verdict::Unchecked);
  const auto passed = count(Verdict::Passed) + count(Verdict::Warned);
  return unchecked > 0 && unchecked + passed == std::ssize(fleet.hosts);
}

std::string fleet_section(Fleets fleets) {
  const auto groups = by_member(fleets);
  std::string html;
  for (const auto& group : groups)
    html += section_of(*group.back(), groups.size() == 1);
  return html;
}

std::vector<std::vector<const FleetReport*>> by_member(Fleets fleets) {
  std::vector<std::vector<const FleetReport*>> groups;
  for (const auto& kind : kFleetMemberKinds) {
    std::vector<const FleetReport*> group;
    std::ranges::copy_if(fleets, std::back_inserter(group),
                         [&](const FleetReport* fleet) { return fleet->each == kind.value; });
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

Record::Json fleet_data(const FleetReport& report) {
  Record::Json fleet = to_json_value(report).at("fleet");
  for (Record::Json& member : fleet.at("members"))
    member.erase("runs");
  return fleet;
}

}  // namespace hpl::page
