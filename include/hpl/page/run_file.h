#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/compare/comparison.h"
#include "hpl/fleet/judge/fleet_report.h"
#include "hpl/predict/prediction_report.h"
#include "hpl/run/report/campaign_report.h"
#include "hpl/run/report/job_report.h"
#include "hpl/tune/report/tune_report.h"

namespace hpl::page {

/// The subject of a document.
enum class Content { Runs, Fleet, Check, Search, Predictions, Comparison, Campaign };

struct RunFile {
  std::string name;  ///< of the file, as the page shows it
  Content content = Content::Runs;
  JobReport job{};  ///< of other documents: program, environment, how it ended
  std::optional<FleetReport> fleet{};
  std::optional<CampaignReport> campaign{};
  std::optional<TuneReport> search{};
  std::optional<PredictionReport> predictions{};
  std::optional<Comparison> comparison{};
};

std::string program_of(const RunFile& file);  ///< "xhpl 0.1.0"
/// A fact that rank 0 reported; empty where there is none.
std::string environment(const RunFile& file, std::string_view name);

/// The fleets among the files by their time; borrows them.
std::vector<const FleetReport*> fleets_of(std::span<const RunFile> files);

/// "run.json" of "/some/where/run.json", longer where other files are named alike.
std::vector<std::string> short_names(std::span<const RunFile> files);

/// Reads a document of docs/schema. Members that it does not know are passed over. Throws
/// ConfigError with the name, the place in the document, what was found and what is allowed.
RunFile parse_run_file(const std::string& name, std::string_view text);

/// Adds to the document of a job that has not ended the runs that its journal holds beyond it
/// (named_files.h). Of what a crash left half written, a remark tells. `name` is the journal's.
void add_journal(RunFile& file, const std::string& name, std::string_view text);

/// The same from a file, with its journal, if there is one. Throws ConfigError also when a file
/// cannot be read or is larger than any document.
RunFile read_run_file(const std::string& path);

/// The same of several. The reports of its steps, which stand beside it, follow a campaign.
std::vector<RunFile> read_run_files(std::span<const std::string> paths);

}  // namespace hpl::page
