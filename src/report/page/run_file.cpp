#include "hpl/report/page/run_file.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "expectation_part.h"
#include "format.h"
#include "hpl/base/error/error.h"
#include "hpl/base/file/json_journal.h"
#include "hpl/base/json/json_cursor.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/text/text_value.h"
#include "hpl/report/json/fleet_json.h"
#include "hpl/report/result/run_failures.h"
#include "power_file.h"
#include "prediction_file.h"
#include "preflight_file.h"
#include "product_file.h"
#include "tuning_file.h"

namespace hpl::page {

namespace {

/// The form of the documents that this program reads.
constexpr std::int64_t kSchemaVersion = 1;

std::optional<Sensor> read_sensor(const JsonCursor& device, std::string_view key) {
  const auto sensor = device.find(key);
  if (!sensor) return std::nullopt;
  return Sensor{.minimum = sensor->at("minimum").number(),
                .mean = sensor->at("mean").number(),
                .maximum = sensor->at("maximum").number()};
}

Device read_device(const JsonCursor& from) {
  Device device{.rank = from.at("rank").integer(),
                .host = from.at("host").text(),
                .backend = from.find_text("backend").value_or(""),
                .index = from.find_integer("device_index").value_or(0),
                .name = from.find_text("device").value_or(""),
                .clock = read_sensor(from, "clock_mhz"),
                .power = read_sensor(from, "power_watts"),
                .temperature = read_sensor(from, "temperature_celsius"),
                .throttle_reasons = {}};
  for (const JsonCursor& reason : from.elements("throttle_reasons")) {
    device.throttle_reasons.emplace_back(reason.at("reason").text(),
                                         reason.find_number("share").value_or(0));
  }
  return device;
}

/// Numbers by rank; one that was not finite counts as zero.
std::vector<double> read_numbers(const JsonCursor& from, std::string_view key) {
  std::vector<double> numbers;
  for (const JsonCursor& number : from.elements(key))
    numbers.push_back(number.is_null() ? 0 : number.number());
  return numbers;
}

PhaseTime read_phase(const JsonCursor& from) {
  return {.name = from.at("phase").text(),
          .minimum = from.find_number("minimum_seconds").value_or(0),
          .maximum = from.find_number("maximum_seconds").value_or(0),
          .minimum_rank = from.find_integer("minimum_rank").value_or(0),
          .maximum_rank = from.find_integer("maximum_rank").value_or(0),
          .rank_seconds = read_numbers(from, "rank_seconds")};
}

void read_spec(const JsonCursor& from, Run& run) {
  const JsonCursor spec = from.at("spec");
  run.variant = spec.at("variant").text();
  run.arithmetic = spec.find_text("arithmetic").value_or("FP64");
  run.order = spec.at("order").integer();
  run.block_size = spec.at("block_size").integer();
  run.grid_rows = spec.at("grid_rows").integer();
  run.grid_columns = spec.at("grid_columns").integer();
  run.threshold = spec.find_number("threshold");
  for (const auto& [name, value] : from.members("spec"))
    run.settings.emplace_back(name, value.shown());
}

std::optional<Transport> read_transport(const JsonCursor& run, std::string_view key) {
  const auto transports = run.find("transports");
  const auto one = transports ? transports->find(key) : std::nullopt;
  if (!one) return std::nullopt;
  return Transport{.ranks = one->find_integer("ranks").value_or(0),
                   .name = one->find_text("name").value_or(""),
                   .gigabytes_per_second = one->find_number("gigabytes_per_second")};
}

std::optional<EarlyStop> read_stop(const JsonCursor& run) {
  const auto stop = run.find("stopped");
  if (!stop) return std::nullopt;
  return EarlyStop{.fraction = stop->at("fraction").number(),
                   .projected_seconds = stop->find_number("projected_seconds"),
                   .projected_gflops = stop->find_number("projected_gflops")};
}

bool truth_or(const JsonCursor& from, std::string_view key, bool otherwise) {
  const auto found = from.find(key);
  return found ? found->truth() : otherwise;
}

std::optional<ChecksumResult> read_checksums(const JsonCursor& run) {
  const auto from = run.find("checksums");
  if (!from) return std::nullopt;
  ChecksumResult checksums{.interval = from->find_integer("interval").value_or(1),
                           .comparisons = from->find_integer("comparisons").value_or(0),
                           .repeated = truth_or(*from, "repeated", false),
                           .faults = {}};
  for (const JsonCursor& fault : from->elements("faults"))
    checksums.faults.push_back({.rank = static_cast<int>(fault.find_integer("rank").value_or(0)),
                                .first_step = fault.find_integer("first_step").value_or(0),
                                .last_step = fault.find_integer("last_step").value_or(0),
                                .rows = fault.find_integer("rows").value_or(0),
                                .first_row = fault.find_integer("first_row").value_or(0),
                                .difference = fault.find_number("difference").value_or(INFINITY),
                                .tolerance = fault.find_number("tolerance").value_or(NAN)});
  return checksums;
}

/// Documents of earlier versions name no failures, and call a run passed whose checksums disagree:
/// its figures are judged again.
void judge(const JsonCursor& from, Run& run) {
  RunResult result;
  result.zero_pivot_column = run.zero_pivot_column;
  result.spec.threshold = run.threshold.value_or(0);
  if (const auto residual = from.find("residual"))
    result.residual = Residual{.scaled = run.scaled_residual.value_or(NAN),
                               .samples = {},
                               .passed = truth_or(*residual, "passed", true)};
  for (const Device& device : run.devices)
    result.devices.push_back({.rank = static_cast<int>(device.rank),
                              .host = device.host,
                              .backend = device.backend,
                              .device_index = static_cast<int>(device.index)});
  result.checksums = read_checksums(from);
  run.failures = from.texts("failures");
  if (run.failures.empty()) run.failures = run_failures(result);
  if (!run.failures.empty()) run.status = to_string(RunStatus::Failed);
  const bool counted = result.checksums && from.at("checksums").find("comparisons");
  if (counted && result.checksums->faults.empty()) run.checksums = checksum_lines(result);
}

Run read_run(const JsonCursor& from) {
  Run run;
  read_spec(from, run);
  run.description = from.find_text("description").value_or("");
  run.status = from.at("status").text();
  run.run_index = from.find_integer("run_index").value_or(0);
  run.repeat_index = from.find_integer("repeat_index").value_or(0);
  run.started = from.find_text("started").value_or("");
  run.seconds = from.find_number("seconds");
  run.gflops = from.find_number("gflops");
  run.attainable_gflops = from.find_number("ceiling_gflops");
  if (const auto rates = from.elements("ceiling_rates"); !rates.empty())
    run.attainable_source = rates.front().at("source").text();
  run.gflops_per_watt = from.find_number("gflops_per_watt");
  if (const auto residual = from.find("residual"))
    run.scaled_residual = residual->find_number("scaled");
  run.zero_pivot_column = from.find_integer("zero_pivot_column");
  run.stopped = read_stop(from);
  if (const auto expected = from.find("expected")) run.expected = read_expectation(*expected);
  run.row_transport = read_transport(from, "row");
  run.column_transport = read_transport(from, "column");
  run.rank_gflops = read_numbers(from, "rank_gflops");
  run.rank_attainable_gflops = read_numbers(from, "rank_ceilings_gflops");
  for (const JsonCursor& phase : from.elements("phases"))
    run.phases.push_back(read_phase(phase));
  for (const JsonCursor& step : from.elements("steps")) {
    // A time that was not finite is null: such a step tells nothing.
    if (const auto seconds = step.find_number("seconds"))
      run.steps.push_back({step.at("columns_done").integer(), *seconds});
  }
  for (const JsonCursor& device : from.elements("devices"))
    run.devices.push_back(read_device(device));
  run.device_findings = from.texts("device_findings");
  run.remarks = from.texts("remarks");
  run.power = read_power(from);
  run.peak_gflops = from.find_number("rpeak_gflops");
  run.peak_source = from.find_text("rpeak_source").value_or("");
  judge(from, run);
  return run;
}

/// Who writes such documents, for messages.
constexpr std::string_view kWriter = "xhpl --json";

/// A document that these programs write and of which no page is made.
struct OtherDocument {
  std::string_view kind, what, reader;
};
constexpr std::array<OtherDocument, 4> kOtherDocuments{{
    {"rates", "the rates of a machine", "xhpl-predict and xhpl --rates"},
    {"machine", "the data sheet of a machine", "xhpl-predict"},
    {"top500", "a form of xhpl-report --top500", "whoever fills in the lists"},
    {"reference", "the figures of a fleet without its hosts (xhpl --write-reference)",
     "xhpl --reference"},
}};

[[noreturn]] void refuse_other(const std::string& document, const OtherDocument& other) {
  throw ConfigError(
      fmt::format("{}: holds {}, which is for {}; xhpl-report reads reports of runs, "
                  "fleets, checks, searches, predictions and products",
                  document, other.what, other.reader));
}

/// Refuses documents of which no page is made. The member `kind` tells, or other members do.
void require_report(const std::string& document, const JsonCursor& from) {
  const auto kind = from.find("kind");
  if (!kind) return;
  const std::string found = kind->text();
  for (const OtherDocument& other : kOtherDocuments)
    if (found == other.kind) refuse_other(document, other);
  if (found != "prediction" && found != "tune") kind->refuse("prediction or tune");
}

}  // namespace

RunFile parse_run_file(const std::string& name, std::string_view text) {
  const std::string shown = shown_text(name);
  const JsonCursor::Json document = parse_json(shown, text, kWriter);
  const JsonCursor from(document, shown);
  require_report(shown, from);
  const JsonCursor version = from.at("schema_version");
  if (version.integer() != kSchemaVersion) version.refuse(std::to_string(kSchemaVersion));

  RunFile file;
  file.name = mended_utf8(name);
  file.document = document;
  const JsonCursor program = from.at("program");
  file.program =
      fmt::format("{} {}", program.at("name").text(), program.find_text("version").value_or(""));
  for (const auto& [key, value] : from.members("environment"))
    file.environment.emplace_back(key, value.shown());
  file.remarks = from.texts("remarks");
  if (from.find_text("kind") == "prediction") {
    file.predictions = read_predictions(from);
    file.exit_code = 0;  // what predicts writes the document at its end
    return file;
  }
  if (const auto preflight = from.find("preflight")) file.preflight = read_preflight(*preflight);
  for (const JsonCursor& product : from.elements("products"))
    file.products.push_back(read_product(product));
  if (from.find_text("kind") == "tune") file.tuning = read_tuning(from);
  for (const JsonCursor& run : from.elements("runs")) {
    file.runs.push_back(read_run(run));
    file.runs.back().document = document.at("runs").at(file.runs.size() - 1);
  }
  for (const JsonCursor& gate : from.elements("gates")) {
    file.gates.push_back({.flag = gate.at("gate").text(),
                          .reason = gate.find_text("reason").value_or(""),
                          .held = gate.at("held").truth()});
  }
  file.exit_code = from.find_integer("exit_code");
  file.error = from.find_text("error");
  if (is_fleet(from)) file.fleet = read_fleet(from);
  if (file.fleet && file.fleet->hosts.empty() && !file.fleet->kinds.empty())
    refuse_other(shown, kOtherDocuments.back());
  return file;
}

void add_journal(RunFile& file, const std::string& name, std::string_view text) {
  for (int number = 1; !text.empty(); ++number) {
    const auto length = text.find('\n');
    const std::string place = fmt::format("{} line {}", shown_text(name), number);
    try {
      if (length == std::string_view::npos)
        throw ConfigError(fmt::format("{}: must end with a line end, found none", place));
      const JsonCursor::Json line = parse_json(place, text.substr(0, length), kWriter);
      const JsonCursor from(line, place);
      const JsonCursor version = from.at("journal_version");
      if (version.integer() != kJournalVersion) version.refuse(std::to_string(kJournalVersion));
      // The document was written after the first lines, if it holds their runs.
      if (from.at("index").integer() == static_cast<std::int64_t>(file.runs.size())) {
        file.runs.push_back(read_run(from.at("run")));
        file.runs.back().document = line.at("run");
      }
    } catch (const ConfigError& error) {
      file.remarks.push_back(
          mended_utf8(fmt::format("the journal was not read to its end: {}", error.what())));
      return;
    }
    text.remove_prefix(length + 1);
  }
}

RunFile read_run_file(const std::string& path) {
  // First: the document may be written again meanwhile, and then holds what the journal held.
  const std::string journal = journal_of(path).string();
  std::error_code none;
  std::string journal_text;
  if (std::filesystem::is_regular_file(journal, none)) journal_text = read_json_text(journal);
  RunFile file = parse_run_file(path, read_json_text(path));
  if (!file.exit_code)
    add_journal(file, std::filesystem::path(journal).filename().string(), journal_text);
  return file;
}

}  // namespace hpl::page
