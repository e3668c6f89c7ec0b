#include "fleet_unit_reader.h"

#include <string>

#include "fleet_fields.h"
#include "hpl/base/record/record.h"

namespace hpl {
namespace {

std::optional<bool> find_truth(const JsonCursor& from, const char* key) {
  const auto value = from.find(key);
  return value ? std::optional(value->truth()) : std::nullopt;
}

std::optional<SensorRange> range_at(const JsonCursor& from, const char* key) {
  const auto range = from.find(key);
  if (!range) return std::nullopt;
  return SensorRange{.minimum = number_at(*range, "minimum"),
                     .mean = number_at(*range, "mean"),
                     .maximum = number_at(*range, "maximum")};
}

FleetDevice read_device(const JsonCursor& from) {
  FleetDevice device{.rank = fleet_rank_of(from.at("rank")),
                     .host = from.at("host").text(),
                     .backend = from.at("backend").text(),
                     .index = int_at(from, "index"),
                     .model = from.at("model").text(),
                     .identity = {.serial = from.find_text("serial").value_or(""),
                                  .uuid = from.find_text("uuid").value_or(""),
                                  .firmware = from.find_text("firmware").value_or(""),
                                  .driver = from.find_text("driver").value_or("")},
                     .health = {}};
  hpcx::DeviceHealth& health = device.health;
  health.pci_address = from.find_text("pci_address").value_or("");
  health.maximum_clock_mhz = from.find_number("maximum_clock_mhz");
  health.power_limit_watts = from.find_number("power_limit_watts");
  health.default_power_limit_watts = from.find_number("default_power_limit_watts");
  health.ecc = find_truth(from, "ecc");
  health.corrected_errors = find_count(from, "corrected_errors");
  health.uncorrected_errors = find_count(from, "uncorrected_errors");
  health.uncorrected_errors_ever = find_count(from, "uncorrected_errors_ever");
  if (const auto rows = from.find("remapped_rows"))
    health.remapped_rows =
        hpcx::RemappedRows{.after_corrected = int_at(*rows, "after_corrected"),
                           .after_uncorrected = int_at(*rows, "after_uncorrected"),
                           .pending = rows->at("pending").truth(),
                           .failed = rows->at("failed").truth()};
  return device;
}

DeviceRound read_device_round(const JsonCursor& from) {
  DeviceRound device{.rank = fleet_rank_of(from.at("rank")),
                     .sensors = {.samples = find_count(from, "samples").value_or(0),
                                 .clock_mhz = range_at(from, "clock_mhz"),
                                 .power_watts = range_at(from, "power_watts"),
                                 .temperature_celsius = range_at(from, "temperature_celsius"),
                                 .energy_joules = from.find_number("energy_joules"),
                                 .throttle_reasons = {}},
                     .corrected_errors = find_count(from, "corrected_errors"),
                     .uncorrected_errors = find_count(from, "uncorrected_errors")};
  for (const JsonCursor& reason : from.elements("throttle_reasons"))
    device.sensors.throttle_reasons.push_back(
        {reason.at("reason").text(), number_at(reason, "share")});
  return device;
}

FleetRound read_round(const JsonCursor& from) {
  FleetRound round{.round = int_at(from, "round"),
                   .started = time_at(from, "started"),
                   .ended = time_at(from, "ended"),
                   .seconds = number_at(from, "seconds"),
                   .gflops = number_at(from, "gflops"),
                   .status = word_at(from, "status",
                                     {RunStatus::Passed, RunStatus::Failed, RunStatus::Unchecked}),
                   .scaled_residual = from.find_number("scaled_residual"),
                   .zero_pivot_column = from.find_integer("zero_pivot_column"),
                   .failures = from.texts("failures"),
                   .attainable_gflops = from.find_number("ceiling_gflops"),
                   .peak_gflops = from.find_number("rpeak_gflops"),
                   .phases = {},
                   .devices = {}};
  if (const auto checksums = from.find("checksums"))
    round.checksums = from_json_value<ChecksumResult>(*checksums);
  for (const JsonCursor& rate : from.elements("rank_gflops"))
    round.rank_gflops.push_back(rate.is_null() ? 0 : rate.number());
  // Phases that this program does not know are of a later one.
  for (const auto& [name, seconds] : from.members("phases"))
    for (int phase = 0; phase < kPhaseCount; ++phase)
      if (to_string(static_cast<Phase>(phase)) == name)
        round.phases[static_cast<Phase>(phase)] = seconds.number();
  for (const JsonCursor& device : from.elements("devices"))
    round.devices.push_back(read_device_round(device));
  return round;
}

}  // namespace

FleetUnit read_unit(const JsonCursor& from) {
  FleetUnit unit{.name = from.at("name").text(),
                 .kind = from.at("kind").text(),
                 .hosts = from.texts("hosts"),
                 .ranks = {},
                 .devices = {},
                 .rounds = {},
                 .verdict = read_verdict(from),
                 .findings = read_findings(from)};
  if (unit.hosts.empty() || unit.hosts.size() > 2)
    from.at("hosts").refuse("one host, or the two of a pair");
  for (const JsonCursor& rank : from.elements("ranks"))
    unit.ranks.push_back(fleet_rank_of(rank));
  for (const JsonCursor& device : from.elements("devices"))
    unit.devices.push_back(read_device(device));
  for (const JsonCursor& round : from.elements("rounds"))
    unit.rounds.push_back(read_round(round));
  if (const auto figures = from.find("figures"))
    for (int number = 0; number < kFleetFigureCount; ++number) {
      const auto figure = static_cast<FleetFigure>(number);
      unit.figures[figure] = figures->find_number(info(figure).key);
    }
  return unit;
}

}  // namespace hpl
