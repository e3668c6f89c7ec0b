#include "changed_facts.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "roster.h"

namespace hpl {
namespace {

/// Facts by the begin of their names. Any other fact is of the software.
constexpr std::array<std::pair<std::string_view, FactSubject>, 10> kHostSubjects{{
    {"host", FactSubject::Hardware},
    {"devices", FactSubject::Hardware},
    {"processor", FactSubject::Hardware},
    {"memory", FactSubject::Hardware},
    {"system", FactSubject::Hardware},
    {"serial", FactSubject::Hardware},
    {"board", FactSubject::Hardware},
    {"cores", FactSubject::Hardware},
    {"power limit", FactSubject::Settings},
    {"ECC", FactSubject::Settings},
}};
/// Facts of a job that are no settings.
constexpr std::array<std::string_view, 2> kJobSoftware{"compiler", "commit"};

FactSubject subject_of(std::string_view fact, bool of_host) {
  if (!of_host)
    return std::ranges::find(kJobSoftware, fact) != kJobSoftware.end() ? FactSubject::Software
                                                                       : FactSubject::Settings;
  for (const auto& [begin, subject] : kHostSubjects)
    if (fact.starts_with(begin)) return subject;
  return FactSubject::Software;
}

using Distinct = std::map<std::string, std::set<std::string>>;  // values by fact

void add_device(Distinct& facts, const JobDevice& device) {
  const auto put = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) facts[fmt::format("{} of {}", name, device.model)].insert(value);
  };
  put("driver", device.identity.driver);
  put("firmware", device.identity.firmware);
  if (device.health.power_limit_watts)
    put("power limit", fmt::format("{:.0f} W", *device.health.power_limit_watts));
  if (device.health.ecc) put("ECC", *device.health.ecc ? "on" : "off");
  if (!device.identity.serial.empty())
    facts[fmt::format("serial of {} {}", device.backend, device.index)].insert(
        device.identity.serial);
}

std::map<std::string, std::string> joined(const Distinct& facts) {
  std::map<std::string, std::string> values;
  for (const auto& [name, of] : facts)
    values[name] = fmt::format("{}", fmt::join(of, " and "));
  return values;
}

/// Facts of each host by its name.
std::map<std::string, Distinct> facts_by_host(const Snapshot& side) {
  std::map<std::string, Distinct> all;
  for (const JobHost& host : side.hosts) {
    Distinct& facts = all[host.name];
    facts["host"] = {host.name};
    if (host.devices > 0) facts["devices"] = {std::to_string(host.devices)};
    for (const auto& [name, value] : host.facts)
      if (!value.empty()) facts[name] = {value};
  }
  for (const Trial& trial : side.trials)
    for (const FleetMember& member : trial.members)
      for (const JobDevice& device : member.devices)
        add_device(all[device.host], device);
  return all;
}

/// A fact that differs from host to host.
bool is_own(std::string_view fact) {
  return fact == "host" || fact.starts_with("serial");
}

/// The values of all hosts together, without those that are a host's own.
Distinct of_all(const std::map<std::string, Distinct>& hosts) {
  Distinct all;
  for (const auto& [host, facts] : hosts)
    for (const auto& [name, values] : facts)
      if (!is_own(name)) all[name].insert(values.begin(), values.end());
  return all;
}

}  // namespace

void ChangedFacts::note(ChangedFact change, const std::string& host) {
  const auto same = [&](const ChangedFact& other) {
    return std::tie(other.side, other.fact, other.from, other.to) ==
           std::tie(change.side, change.fact, change.from, change.to);
  };
  auto found = std::ranges::find_if(changes_, same);
  if (found == changes_.end()) found = changes_.insert(found, std::move(change));
  if (!host.empty()) found->hosts.push_back(host);
}

void ChangedFacts::compare(const Values& before, const Values& now, const std::string& host) {
  for (const auto& [name, value] : now) {
    const auto known = before.find(name);
    if (known == before.end() || known->second == value) continue;
    note({.side = side_,
          .subject = subject_of(name, true),
          .fact = name,
          .from = known->second,
          .to = value},
         host);
  }
}

void ChangedFacts::add(const Snapshot& side, const std::map<std::string, std::size_t>& hosts) {
  ++side_;
  const std::map<std::string, Distinct> facts = facts_by_host(side);
  bool any_known = false;
  for (const auto& [name, values] : facts) {
    const auto number = hosts.find(name);
    if (number == hosts.end()) continue;
    const auto [known, is_new] = hosts_.try_emplace(number->second);
    const Values now = joined(values);
    if (!is_new) compare(known->second, now, name);
    any_known = any_known || !is_new;
    for (const auto& [fact, value] : now)
      known->second[fact] = value;
  }
  const Values usual = joined(of_all(facts));
  if (side_ > 0 && !any_known) compare(usual_, usual, "");
  usual_ = usual;
  // The first of several runs of the same members on this side counts.
  std::map<std::string, Values> settings;
  for (const Trial& trial : side.trials) {
    Values& now = settings[std::string(name_of_members(trial.each))];
    now.insert(trial.settings.begin(), trial.settings.end());
  }
  for (const auto& [of, now] : settings) {
    Values& known = settings_[of];
    for (const auto& [name, value] : now) {
      const auto before = known.try_emplace(name, value).first;
      if (before->second == value) continue;
      const auto alike = std::ranges::find_if(changes_, [&](const ChangedFact& other) {
        return std::tie(other.side, other.from, other.to) ==
                   std::tie(side_, before->second, value) &&
               other.fact.starts_with(name + " (");
      });
      if (alike != changes_.end())
        alike->fact.insert(alike->fact.size() - 1, ", " + of);
      else
        changes_.push_back({.side = side_,
                            .subject = subject_of(name, false),
                            .fact = fmt::format("{} ({})", name, of),
                            .from = before->second,
                            .to = value});
      before->second = value;
    }
  }
}

std::vector<ChangedFact> ChangedFacts::all() const {
  std::vector<ChangedFact> sorted = changes_;
  std::ranges::stable_sort(
      sorted, {}, [](const ChangedFact& change) { return std::pair(change.side, change.subject); });
  return sorted;
}

}  // namespace hpl
