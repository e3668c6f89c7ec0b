#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_cursor.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/text/text_value.h"
#include "hpl/report/tune/tune_report.h"

namespace hpl {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kTuneSchemaVersion = 1;
constexpr const char* kKind = "tune";
constexpr const char* kWriter = "xhpl --tune";

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string_view group_name(TuneGroup group) {
  switch (group) {
    case TuneGroup::Panel:
      return "panels alone";
    case TuneGroup::Crossed:
      return "combinations";
    case TuneGroup::Single:
      return "by itself";
  }
  HPL_ASSERT(false && "a value outside its enumeration");
}

Json settings_json(const std::vector<TuneSetting>& settings) {
  Json array = Json::array();
  for (const TuneSetting& setting : settings)
    array.push_back({{"flag", setting.name},
                     {"values", setting.values},
                     {"untuned", setting.values[setting.preferred]},
                     {"compared", group_name(setting.group)}});
  return array;
}

Json point_json(const std::vector<TuneSetting>& settings, const TunePoint& point) {
  Json object = Json::object();
  for (std::size_t i = 0; i < settings.size(); ++i)
    object[settings[i].name] = settings[i].values[point[i]];
  return object;
}

Json fixed_json(const TuneFixed& fixed) {
  Json object = Json::object();
  for (const auto& [name, value] : fixed)
    object[name] = value;
  return object;
}

/// What was measured, and how.
void add_measurement(Json& object, const TuneRequest& request, const TuneMeasurement& measured) {
  const bool failed = !measured.failure.empty();
  object["panel_alone"] = request.panel_alone;
  object["level"] = request.level;
  object["share"] = share_of_level(request.level);
  object["repetition"] = request.repetition;
  object["seconds"] = failed ? Json(nullptr) : Json(measured.seconds);
  object["gflops"] = failed ? Json(nullptr) : Json(measured.gflops);
  object["trial_seconds"] = measured.cost_seconds;
  object["residual"] = value_or_null(measured.residual);
  object["failure"] = failed ? Json(measured.failure) : Json(nullptr);
}

Json trial_json(const std::vector<TuneSetting>& settings, const TuneTrial& trial) {
  Json object{{"stage", trial.stage}, {"settings", point_json(settings, trial.request.point)}};
  add_measurement(object, trial.request, trial.measured);
  object["verdict"] = to_string(trial.verdict);
  object["reason"] = trial.reason;
  return object;
}

Json earlier_json(const TuneKnownTrial& trial) {
  Json object{{"point", trial.point}};
  add_measurement(object, trial.request, trial.measured);
  return object;
}

/// A trial by the settings that it was made with, in their order.
std::string point_of(const JsonCursor& trial) {
  std::string text;
  for (const auto& [flag, value] : trial.members("settings"))
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", flag, value.text());
  return text;
}

TuneRequest request_of(const JsonCursor& trial) {
  return {.point = {},
          .panel_alone = trial.at("panel_alone").truth(),
          .level = static_cast<int>(trial.at("level").integer()),
          .repetition = static_cast<int>(trial.at("repetition").integer())};
}

Json interruption_json(const TuneInterruption& interruption) {
  return {{"point", interruption.point},
          {"panel_alone", interruption.request.panel_alone},
          {"level", interruption.request.level},
          {"repetition", interruption.request.repetition},
          {"message", interruption.message}};
}

/// Of the job; null while the search goes on.
Json exit_code(const TuneReport& report) {
  if (!report.state.ended) return nullptr;
  return static_cast<int>(report.best_gflops() ? ExitCode::Passed : ExitCode::Failed);
}

TuneKnownTrial read_trial(const JsonCursor& from, std::string point) {
  return {.point = std::move(point),
          .request = request_of(from),
          .measured = {.seconds = from.find_number("seconds").value_or(0),
                       .gflops = from.find_number("gflops").value_or(0),
                       .cost_seconds = from.at("trial_seconds").number(),
                       .residual = from.find_number("residual"),
                       .failure = from.find_text("failure").value_or("")}};
}

}  // namespace

std::string tune_json(const TuneReport& report) {
  Json trials = Json::array(), earlier = Json::array(), interruptions = Json::array();
  for (const TuneKnownTrial& trial : report.earlier)
    earlier.push_back(earlier_json(trial));
  for (const TuneTrial& trial : report.state.trials)
    trials.push_back(trial_json(report.settings, trial));
  for (const TuneInterruption& interruption : report.interruptions)
    interruptions.push_back(interruption_json(interruption));
  TunePoint untuned;
  for (const TuneSetting& setting : report.settings)
    untuned.push_back(setting.preferred);
  const Json document{
      {"schema_version", kTuneSchemaVersion},
      {"kind", kKind},
      {"program", {{"name", "xhpl"}, {"version", report.program_version}}},
      {"machine", report.machine},
      {"ranks", report.ranks},
      {"nodes", report.nodes},
      {"order", report.order},
      {"trial_order", report.trial_order},
      {"method", name_of(kTuneMethods, report.method)},
      {"budget_seconds", report.budget_seconds},
      {"run_seconds_estimated", report.run_seconds},
      {"estimated_by", report.estimate},
      {"preparation_seconds", report.preparation_seconds},
      {"spent_seconds", report.state.spent_seconds},
      {"ended", report.state.ended},
      {"out_of_time", report.state.out_of_time},
      {"best",
       {{"settings", point_json(report.settings, report.state.best)},
        {"gflops", value_or_null(report.best_gflops())}}},
      {"untuned",
       {{"settings", point_json(report.settings, untuned)},
        {"gflops", value_or_null(report.preferred_gflops())}}},
      {"dat_file", report.dat_file},
      {"exit_code", exit_code(report)},
      {"command", report.command.empty() ? Json(nullptr) : Json(report.command)},
      {"fixed", fixed_json(report.fixed)},
      {"settings", settings_json(report.settings)},
      {"trials", std::move(trials)},
      {"earlier_trials", std::move(earlier)},
      {"interruptions", std::move(interruptions)},
      {"rates", report.rates ? to_json_value(*report.rates) : Json(nullptr)}};
  // What a failure says may hold any bytes.
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

TuneRecord parse_tune_record(const std::string& name, std::string_view text) {
  const std::string shown = shown_text(name);
  const Json document = parse_json(shown, text, kWriter);
  const JsonCursor from(document, shown);
  const auto kind = from.find_text("kind");
  if (kind != kKind)
    throw ConfigError(fmt::format(
        "{}: --tune goes on with what a job before has written there, and this is no such file; "
        "name another one by --json, or remove it",
        shown));
  if (const JsonCursor version = from.at("schema_version"); version.integer() != kTuneSchemaVersion)
    version.refuse(fmt::format("{}", kTuneSchemaVersion));
  TuneRecord record{.machine = from.at("machine").text(),
                    .program_version = from.at("program").at("version").text(),
                    .ranks = static_cast<int>(from.at("ranks").integer()),
                    .nodes = static_cast<int>(from.at("nodes").integer()),
                    .order = from.at("order").integer(),
                    .trial_order = from.at("trial_order").integer(),
                    .run_seconds = from.at("run_seconds_estimated").number(),
                    .estimate = from.at("estimated_by").text(),
                    .preparation_seconds = from.at("preparation_seconds").number(),
                    .rates = {},
                    .fixed = {},
                    .trials = {},
                    .interruptions = {}};
  if (document.contains("rates") && !document["rates"].is_null())
    record.rates = parse_rates(name, document["rates"].dump());
  if (from.find("fixed")) {
    record.fixed.emplace();
    for (const auto& [fact, value] : from.members("fixed"))
      record.fixed->emplace_back(fact, value.text());
  }
  for (const JsonCursor& trial : from.elements("trials"))
    record.trials.push_back(read_trial(trial, point_of(trial)));
  for (const JsonCursor& trial : from.elements("earlier_trials"))
    record.trials.push_back(read_trial(trial, trial.at("point").text()));
  for (const JsonCursor& one : from.elements("interruptions"))
    record.interruptions.push_back({.point = one.at("point").text(),
                                    .request = request_of(one),
                                    .message = one.at("message").text()});
  return record;
}

}  // namespace hpl
