#include "hpl/page/run_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/named_files.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/text_value.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/compare/comparison.h"
#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/fleet/page/fleet_part.h"
#include "hpl/predict/prediction_report.h"
#include "hpl/report/page/format.h"
#include "hpl/tune/report/tune_report.h"

namespace hpl::page {

namespace {

/// The writer of such documents, for messages.
constexpr std::string_view kWriter = "xhpl --json";

/// A document that these programs write and of which no page is made.
struct OtherDocument {
  std::string_view kind, what, reader;
};
constexpr std::array<OtherDocument, 3> kOtherDocuments{{
    {"rates", "the rates of a machine", "xhpl-predict and xhpl --rates"},
    {"machine", "the data sheet of a machine", "xhpl-predict"},
    {"top500", "a form of xhpl-report --top500 or --mxp", "whoever fills in the lists"},
}};

/// The documents of which a page is made, but for campaigns.
constexpr std::string_view kKinds = "runs, fleets, checks, searches, predictions, comparisons";

[[noreturn]] void refuse_other(const std::string& document, const OtherDocument& other) {
  throw ConfigError("{}: holds {}, which is for {}; xhpl-report reads reports of {} and campaigns",
                    document, other.what, other.reader, kKinds);
}

/// By the member `kind`, or by other members. Refuses documents of which no page is made.
Content content_of(const std::string& document, const JsonCursor& from) {
  if (const auto kind = from.find("kind")) {
    const std::string found = kind->text();
    for (const OtherDocument& other : kOtherDocuments)
      if (found == other.kind) refuse_other(document, other);
    if (found == "prediction") return Content::Predictions;
    if (found == "tune") return Content::Search;
    if (found == "comparison") return Content::Comparison;
    if (found == kCampaignKind) return Content::Campaign;
    kind->refuse("prediction, tune, comparison or campaign");
  }
  if (is_fleet(from)) return Content::Fleet;
  if (from.contains("runs")) return Content::Runs;
  if (from.contains("preflight")) return Content::Check;
  from.refuse(fmt::format("a report of {} or campaigns", kKinds));
}

/// The members that all documents have.
JobReport read_frame(const JsonCursor& from) {
  JobReport job;
  job.header.program = from_json_value<ProgramInfo>(from.at("program"));
  for (const auto& [key, value] : from.members("environment"))
    job.header.environment.emplace_back(key, value.shown());
  job.header.remarks = remarks_about({}, from.texts("remarks"));
  if (const auto code = from.find_integer("exit_code"))
    job.exit_code = static_cast<ExitCode>(*code);
  job.error = from.find_text("error");
  return job;
}

/// Version 0.2.0 also predicted runs of changed machines, and by the equations of a paper.
void leave_out_retired_runs(JsonCursor::Json& prediction) {
  const auto runs = prediction.find("runs");
  if (runs == prediction.end() || !runs->is_array()) return;
  std::erase_if(runs->get_ref<JsonCursor::Json::array_t&>(), [](const JsonCursor::Json& run) {
    const auto has = [&](const char* name, std::string_view value) {
      const auto member = run.find(name);
      return member != run.end() && member->is_string() &&
             member->get_ref<const std::string&>() == value;
    };
    return has("model", "paper") || (run.contains("scenario") && !has("scenario", ""));
  });
}

/// A run without power has the core phase of its start.
void add_core_phase(RunResult& run) {
  if (run.power || run.started == 0 || !(run.seconds >= 0)) return;
  const auto begin = static_cast<double>(run.started);
  run.power = RunPower{.begin = begin, .end = begin + run.seconds};
}

}  // namespace

std::string program_of(const RunFile& file) {
  return fmt::format("{} {}", file.job.header.program.name, file.job.header.program.version);
}

std::string environment(const RunFile& file, std::string_view name) {
  for (const auto& [key, value] : file.job.header.environment)
    if (key == name) return value;
  return {};
}

std::vector<const FleetReport*> fleets_of(std::span<const RunFile> files) {
  std::vector<const FleetReport*> fleets;
  for (const RunFile& file : files)
    if (file.fleet) fleets.push_back(&*file.fleet);
  return by_time(std::move(fleets));
}

std::vector<std::string> short_names(std::span<const RunFile> files) {
  std::vector<std::string> names;
  for (const RunFile& file : files) {
    const auto name = std::filesystem::path(file.name).filename().string();
    const auto alike = std::count_if(files.begin(), files.end(), [&](const RunFile& other) {
      return std::filesystem::path(other.name).filename().string() == name;
    });
    names.push_back(alike > 1 || name.empty() ? file.name : name);
  }
  return names;
}

RunFile parse_run_file(const std::string& name, std::string_view text) {
  const std::string shown = shown_text(name);
  JsonCursor::Json document = renewed_fleet(parse_json(shown, text, kWriter));
  const JsonCursor from(document, shown);
  RunFile file{.name = mended_utf8(name), .content = content_of(shown, from)};
  if (file.content == Content::Runs) {
    file.job = from_json_value<JobReport>(from);
    for (RunResult& run : file.job.runs)
      add_core_phase(run);
    return file;
  }
  if (file.content == Content::Campaign) {
    file.campaign = from_json_value<CampaignReport>(from);
    file.job.header.program = file.campaign->program;
    file.job.exit_code = file.campaign->exit_code;
    file.job.error = file.campaign->error;
    return file;
  }
  file.job = read_frame(from);
  switch (file.content) {
    case Content::Runs:
    case Content::Campaign:
      break;
    case Content::Fleet:
      file.fleet = read_fleet(from);
      break;
    case Content::Check:
      file.job.preflight = from_json_value<CheckDocument>(from).check;
      break;
    case Content::Predictions:
      file.job.exit_code = ExitCode::Passed;  // what predicts writes the document at its end
      leave_out_retired_runs(document);
      file.predictions = from_json_value<PredictionReport>(from);
      break;
    case Content::Search:
      file.search = from_json_value<TuneReport>(from);
      break;
    case Content::Comparison:
      file.comparison = from_json_value<Comparison>(from);
      file.job.exit_code = file.comparison->exit_code;
      break;
  }
  return file;
}

void add_journal(RunFile& file, const std::string& name, std::string_view text) {
  std::vector<RunResult>& runs = file.job.runs;
  for (int number = 1; !text.empty(); ++number) {
    const auto length = text.find('\n');
    const std::string place = fmt::format("{} line {}", shown_text(name), number);
    try {
      if (length == std::string_view::npos)
        throw ConfigError("{}: must end with a line end, found none", place);
      const JsonCursor::Json line = parse_json(place, text.substr(0, length), kWriter);
      auto [index, run] = from_json_value<JournalLine>(JsonCursor(line, place));
      add_core_phase(run);
      // A run has several lines while it is checked. The document may be newer than all of them.
      if (index == runs.size())
        runs.push_back(std::move(run));
      else if (index < runs.size() && (run.residual || !runs[index].residual))
        runs[index] = std::move(run);
    } catch (const ConfigError& error) {
      file.job.header.remarks.push_back(warning(
          "journal",
          mended_utf8(fmt::format("the journal was not read to its end: {}", error.what()))));
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
  if (file.content == Content::Runs && !file.job.exit_code)
    add_journal(file, std::filesystem::path(journal).filename().string(), journal_text);
  return file;
}

std::vector<RunFile> read_run_files(std::span<const std::string> paths) {
  std::vector<RunFile> files;
  for (const std::string& path : paths) {
    files.push_back(read_run_file(path));
    const std::optional<CampaignReport> campaign = files.back().campaign;
    if (!campaign) continue;
    for (const std::filesystem::path& report : reports_of(*campaign, path))
      files.push_back(read_run_file(report.string()));
  }
  return files;
}

}  // namespace hpl::page
