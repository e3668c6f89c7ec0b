#include "power_file.h"

#include "hpl/base/text/zoned_time.h"

namespace hpl::page {

namespace {

std::optional<double> optional_number(const JsonCursor& from) {
  return from.is_null() ? std::nullopt : std::optional(from.number());
}

std::optional<PowerAverages> read_averages(const JsonCursor& parent) {
  const auto from = parent.find("averages");
  if (!from) return std::nullopt;
  const auto watts = from->find_number("average_watts");
  if (!watts) return std::nullopt;
  PowerAverages averages{.watts = *watts,
                         .joules = from->find_number("energy_joules").value_or(0),
                         .covered = from->find_number("covered").value_or(0),
                         .tenths = {},
                         .samples = from->find_integer("samples").value_or(0),
                         .longest_gap = from->find_number("longest_gap_seconds").value_or(0)};
  for (const JsonCursor& tenth : from->elements("tenth_watts"))
    averages.tenths.push_back(optional_number(tenth));
  return averages;
}

std::optional<ComponentPower> read_components(const JsonCursor& power) {
  const auto from = power.find("components");
  const auto averages = from ? read_averages(*from) : std::nullopt;
  if (!averages) return std::nullopt;
  ComponentPower components{.sensors = from->find_text("sensors").value_or(""),
                            .averages = *averages,
                            .trace = {},
                            .phase_joules = {}};
  for (const JsonCursor& watts : from->elements("trace_watts"))
    components.trace.push_back(optional_number(watts));
  for (const JsonCursor& phase : from->elements("phases"))
    components.phase_joules.emplace_back(phase.at("phase").text(),
                                         phase.find_number("joules").value_or(0));
  return components;
}

std::optional<MeterPower> read_meter(const JsonCursor& power) {
  const auto from = power.find("meter");
  if (!from) return std::nullopt;
  MeterPower meter{.source = from->find_text("source").value_or(""),
                   .trace = {},
                   .averages = read_averages(*from),
                   .scope = {},
                   .complaints = from->texts("remarks")};
  if (const auto scope = from->find_text("scope"); scope && !scope->empty())
    meter.scope = parse_power_scope("power.meter.scope", *scope);
  for (const JsonCursor& sample : from->elements("trace"))
    if (const auto watts = sample.find_number("watts"))
      meter.trace.push_back({sample.at("seconds").number(), *watts});
  return meter;
}

}  // namespace

std::optional<RunPower> read_power(const JsonCursor& run) {
  RunPower power;
  if (const auto from = run.find("power")) {
    const JsonCursor begin = from->at("core_begin");
    const auto time = parse_iso_time(begin.text());
    if (!time) begin.refuse("a time such as 2026-01-03T04:00:00.000+01:00");
    power = {.begin = time->seconds,
             .end = time->seconds + from->find_number("core_seconds").value_or(0),
             .utc_offset = time->zone_offset_seconds,
             .nodes = from->find_integer("nodes").value_or(0),
             .components = read_components(*from),
             .meter = read_meter(*from)};
    return power;
  }
  const auto started = parse_iso_time(run.find_text("started").value_or(""));
  const auto seconds = run.find_number("seconds");
  if (!started || !seconds) return std::nullopt;
  power.begin = started->seconds;
  power.end = started->seconds + *seconds;
  return power;
}

}  // namespace hpl::page
