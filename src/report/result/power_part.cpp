#include "power_part.h"

#include <cmath>

#include "hpl/base/record/text_forms.h"

namespace hpl {
namespace {

/// A tenth of a watt is more than any sensor knows, and traces are long.
double short_watts(double watts) {
  return std::round(10 * watts) / 10;
}

std::optional<double> per_watt(const std::optional<double>& gflops, const PowerAverages* averages) {
  if (!gflops || averages == nullptr || !(averages->watts > 0)) return std::nullopt;
  return *gflops / averages->watts;
}

struct PhaseJoules {
  std::string phase;
  double joules = 0;
};

void describe(Record& record, PhaseJoules& phase) {
  record("phase", phase.phase);
  record("joules", phase.joules);
}

struct Components {
  ComponentPower power;
  std::optional<double> gflops;
};

void describe(Record& record, Components& components) {
  ComponentPower& power = components.power;
  record("sensors", power.sensors, "NVML, RAPL, ... and of how many devices");
  record("averages", power.averages);
  record.computed("gflops_per_watt", [&] { return per_watt(components.gflops, &power.averages); });
  record.converted(
      "trace_watts",
      [&] {
        auto trace = power.trace;
        for (auto& watts : trace)
          if (watts) watts = short_watts(*watts);
        return trace;
      },
      [&](auto trace) { power.trace = std::move(trace); },
      "mean of every second of the core phase; null where a device has no sample");
  record.converted(
      "phases",
      [&] {
        std::vector<PhaseJoules> phases;
        for (const auto& [phase, joules] : power.phase_joules)
          phases.push_back({phase, joules});
        return phases;
      },
      [&](const std::vector<PhaseJoules>& phases) {
        for (const PhaseJoules& one : phases)
          power.phase_joules.emplace_back(one.phase, one.joules);
      },
      "energy while work of a phase went on; phases overlap in time");
}

struct Meter {
  MeterPower power;
  std::optional<double> gflops;
};

struct Reading {
  double seconds = 0, watts = 0;
};

void describe(Record& record, Reading& reading) {
  record("seconds", reading.seconds, "since the begin of the core phase", {.finite = true});
  record("watts", reading.watts);
}

void describe(Record& record, Meter& meter) {
  MeterPower& power = meter.power;
  record("source", power.source, "the program");
  record.converted(
      "scope", [&] { return to_string(power.scope); },
      [&](const std::string& words) {
        if (!words.empty()) power.scope = parse_power_scope("power.meter.scope", words);
      },
      "the words of --power-scope");
  record("averages", power.averages);
  record.computed("gflops_per_watt", [&] {
    return per_watt(meter.gflops, power.averages ? &*power.averages : nullptr);
  });
  record.converted(
      "trace",
      [&] {
        std::vector<Reading> trace;
        for (const PowerSample& sample : power.trace)
          trace.push_back({std::round(1e3 * sample.seconds) / 1e3, short_watts(sample.watts)});
        return trace;
      },
      [&](const std::vector<Reading>& trace) {
        for (const auto& [seconds, watts] : trace)
          if (std::isfinite(watts)) power.trace.push_back({seconds, watts});
      },
      "readings, at most one a second, with one before and one after the core phase");
  record("remarks", power.complaints, "what the meter did not do as asked, each once");
}

struct Aspect {
  std::string name;
  int level = 0;
  std::string missing;
};

void describe(Record& record, Aspect& aspect) {
  record("aspect", aspect.name);
  record("level", aspect.level, {}, kCount);
  record("missing", aspect.missing, "for the next level");
}

struct Level {
  int level = 0;
  std::vector<Aspect> aspects;
};

void describe(Record& record, Level& level) {
  record("level", level.level, "0 to 3; that of the lowest aspect", kCount);
  record("aspects", level.aspects);
}

std::optional<Level> level_of(const RunPower& power) {
  const auto evidence = power_evidence(power);
  if (!evidence) return std::nullopt;
  const auto aspects = power_aspects(*evidence);
  Level level{.level = power_level(aspects), .aspects = {}};
  for (const PowerAspect& aspect : aspects)
    level.aspects.push_back({std::string(aspect.name), aspect.level, aspect.missing});
  return level;
}

}  // namespace

void describe(Record& record, PowerPart& part) {
  RunPower& power = part.power;
  record.type("power");
  record.converted(
      "core_begin",
      [&] {
        return ZonedTime{power.begin, power.utc_offset};
      },
      [&](const ZonedTime& time) {
        power.begin = time.seconds;
        power.utc_offset = time.zone_offset_seconds;
      },
      kZonedTimeForm, "ISO 8601, local time of rank 0 with its zone");
  record.computed(
      "core_end",
      [&] {
        return ZonedTime{power.end, power.utc_offset};
      },
      kZonedTimeForm);
  record.converted(
      "core_seconds", [&] { return power.seconds(); },
      [&](double seconds) { power.end = power.begin + (std::isfinite(seconds) ? seconds : 0); });
  record("nodes", power.nodes, "that took part", kCount);
  record.converted(
      "components",
      [&] {
        return power.components ? std::optional<Components>({*power.components, part.gflops})
                                : std::nullopt;
      },
      [&](const std::optional<Components>& components) {
        if (components) power.components = components->power;
      },
      "the sensors inside all devices together (component power); null unless each has one");
  record.converted(
      "meter",
      [&] {
        return power.meter ? std::optional<Meter>({*power.meter, part.gflops}) : std::nullopt;
      },
      [&](const std::optional<Meter>& meter) {
        if (meter) power.meter = meter->power;
      },
      "the meter of --power-command; null without one");
  record.computed(
      "level", [&] { return level_of(power); },
      "of the EE HPC WG's methodology, that the meter's data (or the components') would satisfy");
}

std::optional<PowerPart> power_part(const RunResult& run) {
  if (!run.power) return std::nullopt;
  return PowerPart{*run.power, run.stopped ? std::nullopt : std::optional(run.gflops)};
}

}  // namespace hpl
