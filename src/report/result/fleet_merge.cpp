#include "hpl/report/result/fleet_merge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/host_list.h"
#include "hpl/report/result/fleet_verdict.h"

namespace hpl {
namespace {

std::string run_text(const FleetReport& report) {
  const RunSpec& spec = report.spec;
  return fmt::format("--each {}, N = {}, NB = {}, {} x {}", name_of(kFleetUnitKinds, report.each),
                     spec.order, spec.block_size, spec.grid_rows, spec.grid_columns);
}

/// Where the one of that name is in a list that only grows.
class Places {
 public:
  /// Empty for a new one, which gets the next place.
  std::optional<std::size_t> known(const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(name, places_.size());
    return is_new ? std::nullopt : std::optional(place->second);
  }

 private:
  std::map<std::string, std::size_t> places_;
};

void add_rounds(FleetUnit& unit, std::vector<FleetRound> rounds) {
  for (FleetRound& round : rounds) {
    round.round = static_cast<int>(unit.rounds.size());
    unit.rounds.push_back(std::move(round));
  }
}

/// A job of one host that was killed, or ran out of time, has its host to blame. Of several hosts
/// nobody knows which.
void tell_of_early_end(FleetReport& job, std::vector<std::string>& remarks) {
  if (job.exit_code && !job.error) return;
  const std::string what = job.error ? fmt::format("its job ended early: {}",
                                                   job.error->substr(0, job.error->find('\n')))
                                     : "its job did not come to its end";
  std::vector<std::string> names;
  for (const FleetHost& host : job.hosts)
    if (host.ranks > 0) names.push_back(host.name);
  if (names.size() != 1) {
    remarks.push_back(fmt::format("{}: {}", host_list(names), what));
    return;
  }
  for (FleetHost& host : job.hosts)
    if (host.ranks > 0 && host.why_out.empty()) host.why_out = what;
}

}  // namespace

void expect_hosts(FleetReport& fleet, const std::vector<std::string>& expected) {
  std::set<std::string> known;
  for (const FleetHost& host : fleet.hosts) {
    known.insert(host.name);
    known.insert(host.name.substr(0, host.name.find('.')));
  }
  for (const std::string& name : expected)
    if (known.insert(name).second) fleet.hosts.push_back({.name = name});
}

FleetReport merge_fleets(std::vector<FleetReport> reports,
                         const std::vector<std::string>& expected) {
  HPL_ASSERT(!reports.empty());
  std::ranges::stable_sort(reports, {},
                           [](const FleetReport& report) { return report.started.seconds; });
  FleetReport all = reports.front();
  all.hosts.clear();
  all.units.clear();
  all.error.reset();
  all.power.reset();
  Places hosts, units;
  int ranks = 0;
  for (FleetReport& report : reports) {
    if (run_text(report) != run_text(all))
      throw ConfigError(
          fmt::format("fleets of one merged report must have made the same run, found {} and {}",
                      run_text(all), run_text(report)));
    tell_of_early_end(report, all.header.remarks);
    if (report.ended.seconds > all.ended.seconds) all.ended = report.ended;
    int most = 0;
    for (FleetHost& host : report.hosts) {
      most += host.ranks;
      if (const auto place = hosts.known(host.name)) {
        FleetHost& before = all.hosts[*place];
        if (before.ranks == 0)
          before = std::move(host);
        else if (before.why_out.empty())
          before.why_out = host.why_out;
      } else {
        all.hosts.push_back(std::move(host));
      }
    }
    for (FleetUnit& unit : report.units) {
      // Ranks of one job after those of the other.
      for (int& rank : unit.ranks)
        rank += ranks;
      for (FleetDevice& device : unit.devices)
        device.rank += ranks;
      for (FleetRound& round : unit.rounds)
        for (DeviceRound& device : round.devices)
          device.rank += ranks;
      if (const auto place = units.known(unit.name))
        add_rounds(all.units[*place], std::move(unit.rounds));
      else
        all.units.push_back(std::move(unit));
    }
    ranks += most;
  }
  expect_hosts(all, expected);
  judge_fleet(all);
  all.exit_code = exit_code_of(all);
  return all;
}

}  // namespace hpl
