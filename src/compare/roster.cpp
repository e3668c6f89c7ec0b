#include "roster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "hpl/base/text/host_list.h"
#include "hpl/check/findings/check_members.h"

namespace hpl {

std::vector<std::size_t> Numbering::add(const std::vector<Keys>& side) {
  std::vector<std::optional<std::size_t>> numbers(side.size());
  std::set<std::size_t> taken;
  if (!side.empty()) known_.resize(std::max(known_.size(), side.front().size()));
  for (std::size_t position = 0; position < known_.size(); ++position)
    for (std::size_t i = 0; i < side.size(); ++i) {
      if (numbers[i] || side[i][position].empty()) continue;
      const auto found = known_[position].find(side[i][position]);
      if (found != known_[position].end() && taken.insert(found->second).second)
        numbers[i] = found->second;
    }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < side.size(); ++i) {
    result.push_back(numbers[i] ? *numbers[i] : count_++);
    for (std::size_t position = 0; position < known_.size(); ++position)
      if (!side[i][position].empty()) known_[position][side[i][position]] = result.back();
  }
  return result;
}

namespace {

/// A key of all boards of a member; empty unless each of them has a serial number.
std::string boards_key(const FleetMember& member) {
  const std::vector<std::string> serials = serials_of(member);
  if (serials.empty() || serials.size() < member.devices.size()) return {};
  return fmt::format("{}: {}", member.kind, fmt::join(serials, " "));
}

}  // namespace

std::vector<std::string> serials_of(const FleetMember& member) {
  std::set<std::string> serials;
  for (const JobDevice& device : member.devices)
    if (!device.identity.serial.empty()) serials.insert(device.identity.serial);
  return {serials.begin(), serials.end()};
}

std::string fact_of(const JobHost& host, std::string_view name) {
  const auto found = std::ranges::find(host.facts, name, &NamedValues::value_type::first);
  return found == host.facts.end() ? "" : found->second;
}

std::map<std::string, std::size_t> HostRoster::add(const Snapshot& side) {
  std::map<std::string, std::set<std::string>> boards;
  for (const Trial& trial : side.trials)
    for (const FleetMember& member : trial.members)
      for (const JobDevice& device : member.devices)
        if (!device.identity.serial.empty()) boards[device.host].insert(device.identity.serial);
  std::vector<Numbering::Keys> keys;
  for (const JobHost& host : side.hosts)
    keys.push_back({fact_of(host, "serial"), without_domain(host.name),
                    fmt::format("{}", fmt::join(boards[host.name], " "))});
  const std::vector<std::size_t> numbers = numbers_.add(keys);
  std::map<std::string, std::size_t> named;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    named[side.hosts[i].name] = numbers[i];
  return named;
}

std::vector<std::size_t> MemberRoster::add(const Trial& trial,
                                           const std::map<std::string, std::size_t>& hosts) {
  std::vector<Numbering::Keys> keys;
  for (const FleetMember& member : trial.members) {
    std::string place;
    for (const std::string& host : member.hosts) {
      const auto known = hosts.find(host);
      place += known == hosts.end() ? host + " " : fmt::format("{} ", known->second);
    }
    if (trial.check) place += place_of(member.name, member.hosts);
    if (member.devices.size() == 1)
      place += fmt::format("{} {}", member.devices[0].backend, member.devices[0].index);
    // A job that is alone on both sides is the same one, wherever it ran.
    const bool alone = trial.members.size() == 1 && numbers_.count() <= 1;
    keys.push_back({boards_key(member), place, alone ? "alone" : ""});
  }
  return numbers_.add(keys);
}

}  // namespace hpl
