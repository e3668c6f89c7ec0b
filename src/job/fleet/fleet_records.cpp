#include "fleet_records.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/json/json_text.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/machine/host/host_facts.h"
#include "hpl/machine/host/versions.h"
#include "hpl/report/json/fleet_json.h"
#include "hpl/report/result/fleet_merge.h"
#include "hpl/report/result/run_failures.h"

namespace hpl {

namespace {

FleetReport parsed(const std::string& text) {
  const JsonCursor::Json document = parse_json("a rank's record", text, "xhpl");
  return read_fleet(JsonCursor(document, "a rank's record"));
}

FleetHost& host_named(std::vector<FleetHost>& hosts, const std::string& name) {
  const auto found = std::ranges::find(hosts, name, &FleetHost::name);
  if (found != hosts.end()) return *found;
  hosts.push_back({.name = name});
  return hosts.back();
}

void add_host(std::vector<FleetHost>& hosts, FleetHost of_rank, bool cpu) {
  FleetHost& host = host_named(hosts, of_rank.name);
  if (host.ranks == 0) host.facts = std::move(of_rank.facts);
  host.ranks += of_rank.ranks;
  // All ranks of a host see its GPUs; the CPU is shared out among them.
  host.devices = cpu ? host.devices + of_rank.devices : std::max(host.devices, of_rank.devices);
  if (of_rank.why_out.empty()) return;
  if (!host.why_out.empty()) host.why_out += "; ";
  host.why_out += of_rank.why_out;
}

/// "8 x NVIDIA H100", of different models each with its number.
std::string kind_of(const std::vector<FleetDevice>& devices) {
  std::map<std::string, int> models;
  for (const FleetDevice& device : devices)
    ++models[device.model];
  std::string text;
  for (const auto& [model, count] : models)
    text += fmt::format("{}{} x {}", text.empty() ? "" : " + ", count, model);
  return text;
}

}  // namespace

std::string rank_card(int rank, const Machine& machine, const std::string& why_out) {
  FleetReport card;
  FleetHost host{.name = host_name(),
                 .ranks = 1,
                 .devices = machine.kind() == ProcessorKind::Gpu ? machine.devices_of_node() : 0,
                 .why_out = why_out.empty() ? "" : fmt::format("rank {}: {}", rank, why_out),
                 .facts = host_facts()};
  host.facts.emplace_back("mpi", short_library_version(mpi::library_version()));
  host.facts.emplace_back("program", program_version());
  if (machine.problem().empty()) {
    hpcx::Device& device = machine.device();
    const hpcx::DeviceProperties& properties = device.properties();
    if (properties.backend == hpcx::Backend::Cpu) host.devices = 1;
    FleetUnit unit;
    unit.hosts = {host.name};
    unit.devices.push_back({.rank = rank,
                            .host = host.name,
                            .backend = std::string(to_string(properties.backend)),
                            .index = properties.index,
                            .model = properties.name,
                            .identity = device.telemetry().identity(),
                            .health = device.telemetry().health()});
    card.units.push_back(std::move(unit));
  } else {
    host.devices = machine.devices_of_node();
  }
  card.hosts.push_back(std::move(host));
  return fleet_json(card);
}

void fill_fleet(FleetReport& report, const std::vector<std::string>& cards,
                const FleetDivision& division, const std::vector<int>& ranks,
                const std::vector<std::string>& expected_hosts) {
  std::vector<FleetReport> of_rank;
  for (const std::string& card : cards)
    of_rank.push_back(parsed(card));
  bool cpu = true;
  for (const FleetReport& card : of_rank)
    if (!card.units.empty() && card.units[0].devices.at(0).backend != "cpu") cpu = false;
  for (FleetReport& card : of_rank) {
    FleetHost& host = card.hosts.at(0);
    if (cpu && card.units.empty()) host.devices = 0;
    add_host(report.hosts, std::move(host), cpu);
  }
  for (const std::vector<int>& members : division.units) {
    FleetUnit unit;
    for (const int member : members) {
      const int rank = ranks.at(static_cast<std::size_t>(member));
      FleetDevice device = of_rank.at(static_cast<std::size_t>(rank)).units.at(0).devices.at(0);
      // The device of the CPU is a rank's share of it.
      if (cpu) {
        device.index = static_cast<int>(std::ranges::count_if(
            of_rank.begin(), of_rank.begin() + rank, [&](const FleetReport& card) {
              return !card.units.empty() && card.units[0].hosts[0] == device.host;
            }));
      }
      unit.ranks.push_back(rank);
      if (std::ranges::find(unit.hosts, device.host) == unit.hosts.end())
        unit.hosts.push_back(device.host);
      unit.devices.push_back(std::move(device));
    }
    const FleetDevice& first = unit.devices.front();
    if (report.each == FleetUnitKind::Device) {
      unit.name = fmt::format("{} {} {}", first.host, first.backend, first.index);
      unit.kind = first.model;
    } else {
      unit.name = unit.hosts.size() == 2 ? fmt::format("{} {}", unit.hosts[0], unit.hosts[1])
                                         : unit.hosts[0];
      unit.kind = kind_of(unit.devices);
    }
    report.units.push_back(std::move(unit));
  }
  expect_hosts(report, expected_hosts);
}

std::string spec_text(const RunSpec& spec) {
  FleetReport report;
  report.spec = spec;
  return fleet_json(report);
}

RunSpec read_spec_text(const std::string& text) {
  return parsed(text).spec;
}

std::string rounds_text(std::vector<FleetRound> rounds) {
  FleetReport report;
  FleetUnit unit;
  unit.hosts = {"-"};
  report.hosts.push_back({.name = "-"});
  unit.rounds = std::move(rounds);
  report.units.push_back(std::move(unit));
  return fleet_json(report);
}

std::vector<FleetRound> read_rounds(const std::string& text) {
  return std::move(parsed(text).units.at(0).rounds);
}

MemoryErrors MemoryErrors::of(const hpcx::DeviceHealth& health) {
  return {health.corrected_errors.value_or(-1), health.uncorrected_errors.value_or(-1)};
}

MemoryErrors MemoryErrors::since(const MemoryErrors& before) const {
  const auto difference = [](std::int64_t now, std::int64_t then) {
    return now < 0 || then < 0 ? -1 : std::max<std::int64_t>(0, now - then);
  };
  return {difference(corrected, before.corrected), difference(uncorrected, before.uncorrected)};
}

FleetRound fleet_round(RunResult result, int round, const std::vector<int>& ranks,
                       const std::vector<MemoryErrors>& errors) {
  const auto in_job = [&](int& rank) { rank = ranks.at(static_cast<std::size_t>(rank)); };
  if (result.checksums)
    for (ChecksumFault& fault : result.checksums->faults)
      in_job(fault.rank);
  for (DeviceTelemetry& device : result.devices)
    in_job(device.rank);
  FleetRound made{.round = round,
                  .started = zoned(static_cast<double>(result.started)),
                  .ended = zoned(static_cast<double>(result.ended)),
                  .seconds = result.seconds,
                  .gflops = result.gflops,
                  .status = run_status(result),
                  .scaled_residual = {},
                  .zero_pivot_column = result.zero_pivot_column,
                  .failures = run_failures(result),
                  .checksums = std::move(result.checksums),
                  .attainable_gflops = result.attainable_gflops,
                  .phases = {},
                  .devices = {}};
  // To the millisecond: the log of a meter is cut by these times.
  if (result.power) {
    made.started = {result.power->begin, result.power->utc_offset};
    made.ended = {result.power->end, result.power->utc_offset};
  }
  if (result.peak) made.peak_gflops = result.peak->gflops;
  if (result.rank_gflops.size() > 1) made.rank_gflops = std::move(result.rank_gflops);
  if (result.residual) made.scaled_residual = result.residual->scaled;
  for (std::size_t phase = 0; phase < made.phases.seconds.size(); ++phase)
    made.phases.seconds[phase] = result.phases[phase].maximum;
  const auto told = [](std::int64_t count) {
    return count < 0 ? std::nullopt : std::optional(count);
  };
  for (std::size_t at = 0; at < result.devices.size(); ++at)
    made.devices.push_back({.rank = result.devices[at].rank,
                            .sensors = result.devices[at].sensors,
                            .corrected_errors = told(errors.at(at).corrected),
                            .uncorrected_errors = told(errors.at(at).uncorrected)});
  return made;
}

}  // namespace hpl
