#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/report/result/fleet_verdict.h"

namespace hpl {
namespace {

/// No two hosts have the same, and nobody expects it.
constexpr std::string_view kOwnFact = "serial";

/// A fact: its value on each host that has it, in the order of the hosts.
using Fact = std::vector<std::pair<std::string, std::string>>;

/// Facts in the order in which they first appear.
class Facts {
 public:
  void add(const std::string& name, const std::string& host, const std::string& value) {
    if (value.empty() || name == kOwnFact) return;
    auto found = std::ranges::find(facts_, name, &std::pair<std::string, Fact>::first);
    if (found == facts_.end()) found = facts_.insert(found, {name, {}});
    found->second.emplace_back(host, value);
  }
  const std::vector<std::pair<std::string, Fact>>& all() const { return facts_; }

 private:
  std::vector<std::pair<std::string, Fact>> facts_;
};

/// Of the devices of a host, by model: different values together make one.
void add_of_devices(Facts& facts, std::span<const FleetUnit> units, std::string_view name,
                    std::string hpcx::DeviceIdentity::*value) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> found;  // model and host
  for (const FleetUnit& unit : units)
    for (const FleetDevice& device : unit.devices)
      if (!(device.identity.*value).empty())
        found[{device.model, device.host}].insert(device.identity.*value);
  for (const auto& [where, values] : found)
    facts.add(fmt::format("{} of {}", name, where.first), where.second,
              fmt::format("{}", fmt::join(values, " and ")));
}

std::optional<FleetDifference> difference_of(const std::string& name, const Fact& fact) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const auto& [host, value] : fact) {
    auto found =
        std::ranges::find(groups, value, &std::pair<std::string, std::vector<std::string>>::first);
    if (found == groups.end()) found = groups.insert(found, {value, {}});
    found->second.push_back(host);
  }
  if (groups.size() < 2) return std::nullopt;
  std::ranges::stable_sort(groups, std::greater{},
                           [](const auto& group) { return group.second.size(); });
  return FleetDifference{.fact = name,
                         .majority = groups.front().first,
                         .count = static_cast<int>(groups.front().second.size()),
                         .others = {groups.begin() + 1, groups.end()}};
}

}  // namespace

std::vector<FleetDifference> differences_of(std::span<const FleetHost> hosts,
                                            std::span<const FleetUnit> units) {
  Facts facts;
  for (const FleetHost& host : hosts)
    for (const auto& [name, value] : host.facts)
      facts.add(name, host.name, value);
  add_of_devices(facts, units, "driver", &hpcx::DeviceIdentity::driver);
  add_of_devices(facts, units, "firmware", &hpcx::DeviceIdentity::firmware);
  std::vector<FleetDifference> differences;
  for (const auto& [name, fact] : facts.all())
    if (auto found = difference_of(name, fact)) differences.push_back(std::move(*found));
  return differences;
}

}  // namespace hpl
