#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/compare_sides.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/record/record.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/fleet/judge/fleet_json.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl::test {

constexpr double kMonth = 30 * 86'400.0;

/// The side that a fleet's document makes.
inline Snapshot side_of(FleetReport fleet, const std::string& name, double later = 0) {
  fleet.started.seconds += later;
  for (FleetMember& member : fleet.members)
    for (RunResult& run : member.runs) {
      run.started += static_cast<std::time_t>(later);
      run.ended += static_cast<std::time_t>(later);
    }
  judge_fleet(fleet);
  fleet.exit_code = exit_code_of(fleet);
  return *snapshot_of(parse_json(name, fleet_json(fleet), "the test"), name);
}

inline Comparison compared(const FleetReport& may, const FleetReport& june,
                           std::optional<double> fail_below = {}) {
  std::vector<Snapshot> sides;
  sides.push_back(side_of(may, "may.json"));
  sides.push_back(side_of(june, "june.json", kMonth));
  return compare_sides(std::move(sides), fail_below);
}

/// The side that the document of a check makes; `crowded_cores` are of its second rank.
inline Snapshot side_of_check(std::vector<RankRecord> ranks, double later = 0,
                              const std::vector<int>& crowded_cores = {}) {
  CheckReport check = judge(CheckForm::Full, std::move(ranks), {0.05});
  check.ranks[1].crowded_cores = crowded_cores;
  const CheckDocument document{
      .program = {.name = "xhpl", .version = "1.2.3", .started = {1'700'000'000 + later, 0}},
      .check = std::move(check),
      .exit_code = ExitCode::Passed};
  return *snapshot_of(parse_json("check.json", json_text(to_json_value(document)), "the test"),
                      "check.json");
}

inline void rename_host(FleetReport& fleet, const std::string& from, const std::string& to) {
  const auto change = [&](std::string& name) {
    if (name == from) name = to;
  };
  for (FleetHost& host : fleet.hosts)
    change(host.name);
  for (FleetMember& member : fleet.members) {
    for (std::string& host : member.hosts)
      change(host);
    for (JobDevice& device : member.devices)
      change(device.host);
    if (member.name.starts_with(from)) member.name.replace(0, from.size(), to);
  }
}

/// The member that is called so on the last side that has it.
inline const ComparedMember* find_member(const Comparison& comparison, const std::string& name) {
  for (const ComparedRun& run : comparison.runs)
    for (const ComparedMember& member : run.members)
      if (member.points.back().name == name) return &member;
  return nullptr;
}

inline FigureChange rate_change(const Comparison& comparison, const std::string& name) {
  const ComparedMember* const member = find_member(comparison, name);
  for (const FigureChange& change : member->points.back().changes)
    if (change.figure == Figure::Gflops) return change;
  return {};
}

}  // namespace hpl::test
