#include "hpl/report/text/power_text.h"

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"

namespace hpl {

namespace {

std::string averages_text(const PowerAverages& averages, const RunResult& result) {
  std::string text =
      fmt::format("{:.1f} W on average, {:.2f} kJ", averages.watts, averages.joules / 1e3);
  if (!result.stopped && averages.watts > 0)
    text += fmt::format(", {:.3f} GFLOP/s per watt", result.gflops / averages.watts);
  text +=
      fmt::format("; {} samples, at most {:.1f} s apart", averages.samples, averages.longest_gap);
  std::string tenths;
  for (const auto& watts : averages.tenths)
    tenths += fmt::format(" {}", watts ? fmt::format("{:.1f}", *watts) : "-");
  return fmt::format("{}; W of the tenths:{}", text, tenths);
}

std::string phases_text(const ComponentPower& components) {
  if (components.phase_joules.empty()) return {};
  std::string text;
  for (const auto& [phase, joules] : components.phase_joules)
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", phase, joules / 1e3);
  return fmt::format("# energy by phase, kJ (phases overlap): {}\n", text);
}

std::string level_text(const RunPower& power) {
  const auto evidence = power_evidence(power);
  if (!evidence) return {};
  const auto aspects = power_aspects(*evidence);
  const int level = power_level(aspects);
  std::string missing;
  for (const PowerAspect& aspect : aspects)
    if (aspect.level == level && !aspect.missing.empty())
      missing += fmt::format("{}{}: {}", missing.empty() ? "" : "; ", aspect.name, aspect.missing);
  if (level == 0) return fmt::format("# power level: none; missing for level 1: {}\n", missing);
  return fmt::format("# power level: {} of 3; missing for level {}: {}\n", level, level + 1,
                     missing);
}

}  // namespace

std::string power_lines(const RunResult& result) {
  if (!result.power || (!result.power->components && !result.power->meter)) return {};
  const RunPower& power = *result.power;
  std::string text =
      fmt::format("# core phase: {} to {}, {:.3f} s\n", iso_time({power.begin, power.utc_offset}),
                  iso_time({power.end, power.utc_offset}), power.seconds());
  if (power.components)
    text += fmt::format("# component power, {}: {}\n", power.components->sensors,
                        averages_text(power.components->averages, result)) +
            phases_text(*power.components);
  if (power.meter) {
    if (power.meter->averages)
      text += fmt::format("# metered power, {}: {}\n", one_line(power.meter->source),
                          averages_text(*power.meter->averages, result));
    for (const std::string& remark : power.meter->complaints)
      text += fmt::format("# power meter: {}\n", one_line(remark));
  }
  return text + level_text(power);
}

}  // namespace hpl
