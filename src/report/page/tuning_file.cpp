#include "tuning_file.h"

namespace hpl::page {

namespace {

TuningTrial read_trial(const JsonCursor& from) {
  TuningTrial trial{.stage = from.at("stage").text(),
                    .verdict = from.at("verdict").text(),
                    .reason = from.find_text("reason").value_or(""),
                    .settings = {},
                    .share = from.at("share").number(),
                    .trial_seconds = from.find_number("trial_seconds").value_or(0),
                    .gflops = from.find_number("gflops"),
                    .residual = from.find_number("residual")};
  for (const auto& [flag, value] : from.members("settings"))
    trial.settings.emplace_back(flag, value.text());
  return trial;
}

std::string value_of(const JsonCursor& result, const std::string& flag) {
  for (const auto& [name, value] : result.members("settings"))
    if (name == flag) return value.text();
  return {};
}

}  // namespace

Tuning read_tuning(const JsonCursor& from) {
  const JsonCursor best = from.at("best"), untuned = from.at("untuned");
  Tuning tuning{.machine = from.at("machine").text(),
                .method = from.find_text("method").value_or(""),
                .command = from.find_text("command").value_or(""),
                .fixed_flags = {},
                .ranks = from.at("ranks").integer(),
                .order = from.at("order").integer(),
                .trial_order = from.at("trial_order").integer(),
                .spent_seconds = from.find_number("spent_seconds").value_or(0),
                .ended = from.at("ended").truth(),
                .out_of_time = from.at("out_of_time").truth(),
                .best_gflops = best.find_number("gflops"),
                .untuned_gflops = untuned.find_number("gflops"),
                .settings = {},
                .trials = {}};
  for (const auto& [name, value] : from.members("fixed")) {
    if (!name.starts_with('-')) continue;  // a fact about the machine
    for (const std::string& word : {name, value.text()})
      if (!word.empty()) tuning.fixed_flags += (tuning.fixed_flags.empty() ? "" : " ") + word;
  }
  for (const JsonCursor& setting : from.elements("settings")) {
    // One value is no choice.
    if (setting.elements("values").size() < 2) continue;
    const std::string flag = setting.at("flag").text();
    tuning.settings.push_back({flag, setting.at("untuned").text(), value_of(best, flag)});
  }
  for (const JsonCursor& trial : from.elements("trials"))
    tuning.trials.push_back(read_trial(trial));
  return tuning;
}

}  // namespace hpl::page
