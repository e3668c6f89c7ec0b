#include "hpl/base/power/power_level.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/choice/choice.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

namespace {

constexpr std::array<Choice<PowerSubsystems>, 3> kSubsystems{{
    {PowerSubsystems::Compute, "compute"},
    {PowerSubsystems::Estimated, "estimated"},
    {PowerSubsystems::All, "all"},
}};
constexpr std::array<Choice<PowerPlace>, 4> kPlaces{{
    {PowerPlace::Upstream, "upstream"},
    {PowerPlace::Modeled, "modeled"},
    {PowerPlace::Downstream, "downstream"},
    {PowerPlace::Component, "component"},
}};

double fraction_value(std::string_view flag, std::string_view text) {
  const auto slash = text.find('/');
  const auto part = parse_real(text.substr(0, slash));
  const auto whole =
      slash == std::string_view::npos ? std::optional(1.0) : parse_real(text.substr(slash + 1));
  if (!part || !whole || !(*part > 0) || !(*whole > 0) || *part > *whole)
    throw ConfigError(
        "{}: fraction must be above 0 and at most 1, such as 0.125 or 16/128, found {}", flag,
        quote_printable(text));
  return *part / *whole;
}

constexpr double kLeastCoreSeconds = 60, kLongestGap = 60;
constexpr std::int64_t kLeastSamples = 10, kLeastNodes = 15;

PowerAspect sampling(const PowerEvidence& evidence) {
  constexpr std::string_view kName = "sampling";
  const PowerAverages& seen = evidence.averages;
  if (evidence.core_seconds < kLeastCoreSeconds)
    return {kName, 0,
            fmt::format("a core phase of a minute or more (here {:.1f} s)", evidence.core_seconds)};
  if (seen.samples < kLeastSamples)
    return {kName, 0,
            fmt::format("at least {} samples in the core phase (here {})", kLeastSamples,
                        seen.samples)};
  if (seen.longest_gap > kLongestGap)
    return {
        kName, 0,
        fmt::format("samples of the whole core phase, at most {:.0f} s apart (here up to {:.0f} s)",
                    kLongestGap, seen.longest_gap)};
  if (seen.longest_gap > evidence.core_seconds / kPowerAverages)
    return {kName, 1,
            fmt::format(
                "a sample in each of ten equal parts of the core phase (here up to {:.0f} s apart)",
                seen.longest_gap)};
  return {kName, 2, "a meter that integrates energy without gaps"};
}

/// Level 1: the largest of 2 kW, a tenth of the machine, 15 nodes; level 2: of 10 kW, an eighth, 15
/// nodes; level 3: the whole machine.
PowerAspect fraction(const PowerEvidence& evidence) {
  constexpr std::string_view kName = "fraction of the machine";
  if (!evidence.scope.fraction)
    return {kName, 0, "which part of the machine is measured (--power-scope fraction=...)"};
  const double share = *evidence.scope.fraction;
  if (share >= 1) return {kName, 3, {}};
  const auto enough = [&](double watts, double least_share) {
    const double nodes = share * static_cast<double>(evidence.nodes);
    return evidence.averages.watts >= watts && share >= least_share &&
           nodes >= static_cast<double>(kLeastNodes);
  };
  if (enough(10e3, 1.0 / 8)) return {kName, 2, "the whole machine"};
  if (enough(2e3, 1.0 / 10))
    return {kName, 1, "10 kW, an eighth of the machine and 15 nodes, or the whole machine"};
  return {kName, 0, "2 kW, a tenth of the machine and 15 nodes, or the whole machine"};
}

PowerAspect subsystems(const PowerScope& scope) {
  constexpr std::string_view kName = "subsystems";
  switch (scope.subsystems) {
    case PowerSubsystems::Unknown:
      break;
    case PowerSubsystems::Compute:
      return {kName, 1, "all subsystems that take part, measured or estimated"};
    case PowerSubsystems::Estimated:
      return {kName, 2, "all subsystems that take part, measured"};
    case PowerSubsystems::All:
      return {kName, 3, {}};
  }
  return {kName, 0,
          scope.place == PowerPlace::Component
              ? "nodes and network, not single chips"
              : "which subsystems are measured (--power-scope subsystems=...)"};
}

PowerAspect place(PowerPlace where) {
  constexpr std::string_view kName = "place of the meter";
  switch (where) {
    case PowerPlace::Unknown:
      break;
    case PowerPlace::Component:
      return {kName, 0, "a meter outside the chips: their own sensors show component power"};
    case PowerPlace::Downstream:
      return {kName, 0, "the losses of the power supplies, at least from their makers' data"};
    case PowerPlace::Modeled:
      return {kName, 1, "a meter upstream of the power supplies, or losses measured"};
    case PowerPlace::Upstream:
      return {kName, 3, {}};
  }
  return {kName, 0, "where the meter stands (--power-scope place=...)"};
}

}  // namespace

PowerScope parse_power_scope(std::string_view flag, std::string_view text) {
  PowerScope scope;
  for (const std::string_view word : split_fields(text, ",")) {
    const auto [key, value] = split_pair(word, '=');
    const std::string subject = fmt::format("{}: {}", flag, key);
    if (key == "fraction") {
      scope.fraction = fraction_value(flag, value);
    } else if (key == "subsystems") {
      scope.subsystems = require_choice(subject, value, kSubsystems);
    } else if (key == "place") {
      scope.place = require_choice(subject, value, kPlaces);
    } else {
      throw ConfigError("{} must be a list of fraction=..., subsystems=... and place=..., found {}",
                        flag, quote_printable(word));
    }
  }
  return scope;
}

std::string to_string(const PowerScope& scope) {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
  };
  if (scope.fraction) add("fraction", fmt::format("{:.6g}", *scope.fraction));
  if (scope.subsystems != PowerSubsystems::Unknown)
    add("subsystems", name_of(kSubsystems, scope.subsystems));
  if (scope.place != PowerPlace::Unknown) add("place", name_of(kPlaces, scope.place));
  return text;
}

std::array<PowerAspect, 4> power_aspects(const PowerEvidence& evidence) {
  return {sampling(evidence), fraction(evidence), subsystems(evidence.scope),
          place(evidence.scope.place)};
}

int power_level(const std::array<PowerAspect, 4>& aspects) {
  return std::ranges::min(aspects, {}, &PowerAspect::level).level;
}

}  // namespace hpl
