#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/tune/search/tune_search.h"

namespace hpl {

double share_of_level(int level) {
  return std::pow(3.0, -level);
}

const TuneTrial* TuneState::longest_trial(const TunePoint& point) const {
  const TuneTrial* longest = nullptr;
  for (const TuneTrial& trial : trials) {
    if (trial.request.panel_alone || trial.request.point != point) continue;
    if (!trial.measured.failure.empty()) continue;
    if (longest == nullptr || trial.request.level <= longest->request.level) longest = &trial;
  }
  return longest;
}

std::size_t TuneSetting::index_of(const JsonCursor& value) const {
  const auto found = std::ranges::find(values, value.text());
  if (found == values.end()) value.refuse(fmt::format("one of {}", fmt::join(values, ", ")));
  return static_cast<std::size_t>(found - values.begin());
}

void describe(Record& record, TuneSetting& setting) {
  record("flag", setting.name);
  record("values", setting.values, {}, {.least_elements = 1});
  record.converted(
      "untuned",
      [&] { return setting.values.empty() ? std::string() : setting.values[setting.preferred]; },
      [&](const std::string&) {
        setting.preferred = setting.index_of(record.source()->at("untuned"));
      });
  record("compared", setting.group, kTuneGroups);
}

void describe(Record& record, TuneRequest& request) {
  record("panel_alone", request.panel_alone, "a panel on the host, and nothing else");
  record("level", request.level, {}, {.minimum = 0, .maximum = kShortestTrial});
  record.computed("share", [&] { return share_of_level(request.level); },
                  "of the operations of a whole run, 3^-level",
                  {.above = 0, .maximum = 1, .finite = true});
  record("repetition", request.repetition, {}, kCount);
}

void describe(Record& record, TuneMeasurement& measured) {
  const auto failed = [&] { return !measured.failure.empty(); };
  const auto unless_failed = [&](double& value) {
    return [&] { return failed() ? std::nullopt : std::optional(value); };
  };
  const auto set = [](double& value) {
    return [&](std::optional<double> found) { value = found.value_or(0); };
  };
  record.converted("seconds", unless_failed(measured.seconds), set(measured.seconds),
                   "of a whole run, as far as this trial tells; of a panel", kNotNegative);
  record.converted("gflops", unless_failed(measured.gflops), set(measured.gflops),
                   "of a whole run; of a panel", kNotNegative);
  record("trial_seconds", measured.cost_seconds, "that the trial took", kNotNegative);
  record("residual", measured.residual,
         "the largest scaled residual of its runs; null: none was computed");
  record.converted(
      "failure", [&] { return failed() ? std::optional(measured.failure) : std::nullopt; },
      [&](const std::optional<std::string>& failure) { measured.failure = failure.value_or(""); },
      "why there is no result");
  record("disturbances", measured.disturbances,
         "of runs that were made again, and were disturbed again", kAddedLater);
}

}  // namespace hpl
