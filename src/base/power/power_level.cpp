#include "hpl/base/power/power_level.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

namespace {

template <typename T>
struct Word {
  T value;
  std::string_view text;
};

constexpr std::array<Word<PowerSubsystems>, 3> kSubsystems{{
    {PowerSubsystems::Compute, "compute"},
    {PowerSubsystems::Estimated, "estimated"},
    {PowerSubsystems::All, "all"},
}};
constexpr std::array<Word<PowerPlace>, 4> kPlaces{{
    {PowerPlace::Upstream, "upstream"},
    {PowerPlace::Modeled, "modeled"},
    {PowerPlace::Downstream, "downstream"},
    {PowerPlace::Component, "component"},
}};

template <typename T, std::size_t N>
T word_value(std::string_view flag, std::string_view key, const std::array<Word<T>, N>& words,
             std::string_view text) {
  std::string allowed;
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i].text == text) return words[i].value;
    allowed += fmt::format("{}{}", list_separator(i, N), words[i].text);
  }
  throw ConfigError(
      fmt::format("{}: {} must be {}, found {}", flag, key, allowed, quote_printable(text)));
}

template <typename T, std::size_t N>
std::string_view word_text(const std::array<Word<T>, N>& words, T value) {
  const auto word = std::ranges::find(words, value, &Word<T>::value);
  return word == words.end() ? std::string_view() : word->text;
}

double fraction_value(std::string_view flag, std::string_view text) {
  const auto slash = text.find('/');
  const auto part = parse_real(text.substr(0, slash));
  const auto whole =
      slash == std::string_view::npos ? std::optional(1.0) : parse_real(text.substr(slash + 1));
  if (!part || !whole || !(*part > 0) || !(*whole > 0) || *part > *whole)
    throw ConfigError(
        fmt::format("{}: fraction must be above 0 and at most 1, such as 0.125 or 16/128, found {}",
                    flag, quote_printable(text)));
  return *part / *whole;
}

constexpr double kLeastCoreSeconds = 60, kLongestGap = 60;
constexpr std::int64_t kLeastSamples = 10, kLeastNodes = 15;

PowerAspect sampling(const PowerEvidence& evidence) {
  const PowerAverages& seen = evidence.averages;
  PowerAspect aspect{.name = "sampling", .level = 0, .missing = {}};
  if (evidence.core_seconds < kLeastCoreSeconds) {
    aspect.missing =
        fmt::format("a core phase of a minute or more (here {:.1f} s)", evidence.core_seconds);
  } else if (seen.samples < kLeastSamples) {
    aspect.missing =
        fmt::format("at least {} samples in the core phase (here {})", kLeastSamples, seen.samples);
  } else if (seen.longest_gap > kLongestGap) {
    aspect.missing =
        fmt::format("samples of the whole core phase, at most {:.0f} s apart (here up to {:.0f} s)",
                    kLongestGap, seen.longest_gap);
  } else if (seen.longest_gap > evidence.core_seconds / kPowerAverages) {
    aspect.level = 1;
    aspect.missing = fmt::format(
        "a sample in each of ten equal parts of the core phase (here up to {:.0f} s apart)",
        seen.longest_gap);
  } else {
    aspect.level = 2;
    aspect.missing = "a meter that integrates energy without gaps";
  }
  return aspect;
}

/// Level 1: the largest of 2 kW, a tenth of the machine, 15 nodes; level 2: of 10 kW, an eighth, 15
/// nodes; level 3: the whole machine.
PowerAspect fraction(const PowerEvidence& evidence) {
  PowerAspect aspect{.name = "fraction of the machine", .level = 0, .missing = {}};
  if (!evidence.scope.fraction) {
    aspect.missing = "which part of the machine is measured (--power-scope fraction=...)";
    return aspect;
  }
  const double share = *evidence.scope.fraction;
  if (share >= 1) {
    aspect.level = 3;
    return aspect;
  }
  const auto enough = [&](double watts, double least_share) {
    const double nodes = share * static_cast<double>(evidence.nodes);
    return evidence.averages.watts >= watts && share >= least_share &&
           nodes >= static_cast<double>(kLeastNodes);
  };
  if (enough(10e3, 1.0 / 8)) {
    aspect.level = 2;
    aspect.missing = "the whole machine";
  } else if (enough(2e3, 1.0 / 10)) {
    aspect.level = 1;
    aspect.missing = "10 kW, an eighth of the machine and 15 nodes, or the whole machine";
  } else {
    aspect.missing = "2 kW, a tenth of the machine and 15 nodes, or the whole machine";
  }
  return aspect;
}

PowerAspect subsystems(const PowerScope& scope) {
  PowerAspect aspect{.name = "subsystems", .level = 0, .missing = {}};
  switch (scope.subsystems) {
    case PowerSubsystems::Unknown:
      aspect.missing = scope.place == PowerPlace::Component
                           ? "nodes and network, not single chips"
                           : "which subsystems are measured (--power-scope subsystems=...)";
      break;
    case PowerSubsystems::Compute:
      aspect.level = 1;
      aspect.missing = "all subsystems that take part, measured or estimated";
      break;
    case PowerSubsystems::Estimated:
      aspect.level = 2;
      aspect.missing = "all subsystems that take part, measured";
      break;
    case PowerSubsystems::All:
      aspect.level = 3;
      break;
  }
  return aspect;
}

PowerAspect place(PowerPlace where) {
  PowerAspect aspect{.name = "place of the meter", .level = 0, .missing = {}};
  switch (where) {
    case PowerPlace::Unknown:
      aspect.missing = "where the meter stands (--power-scope place=...)";
      break;
    case PowerPlace::Component:
      aspect.missing = "a meter outside the chips: their own sensors show component power";
      break;
    case PowerPlace::Downstream:
      aspect.missing = "the losses of the power supplies, at least from their makers' data";
      break;
    case PowerPlace::Modeled:
      aspect.level = 1;
      aspect.missing = "a meter upstream of the power supplies, or losses measured";
      break;
    case PowerPlace::Upstream:
      aspect.level = 3;
      break;
  }
  return aspect;
}

}  // namespace

PowerScope parse_power_scope(std::string_view flag, std::string_view text) {
  PowerScope scope;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    const auto equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (key == "fraction") {
      scope.fraction = fraction_value(flag, value);
    } else if (key == "subsystems") {
      scope.subsystems = word_value(flag, key, kSubsystems, value);
    } else if (key == "place") {
      scope.place = word_value(flag, key, kPlaces, value);
    } else {
      throw ConfigError(
          fmt::format("{} must be a list of fraction=..., subsystems=... and place=..., found {}",
                      flag, quote_printable(word)));
    }
    if (comma == std::string_view::npos) return scope;
    text.remove_prefix(comma + 1);
  }
}

std::string to_string(const PowerScope& scope) {
  std::string text;
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
  };
  if (scope.fraction) add("fraction", fmt::format("{:.6g}", *scope.fraction));
  add("subsystems", std::string(word_text(kSubsystems, scope.subsystems)));
  add("place", std::string(word_text(kPlaces, scope.place)));
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
