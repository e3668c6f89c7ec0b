#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare_sides.h"
#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/text_value.h"
#include "hpl/compare/compare.h"
#include "hpl/run/report/campaign_report.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

/// The reports of the steps of a campaign, which stand beside its document; empty of another.
std::vector<std::string> steps_of(const std::string& path, const JsonCursor::Json& document) {
  const JsonCursor from(document, shown_text(path));
  if (const auto kind = from.find("kind"); !kind || kind->text() != kCampaignKind) return {};
  std::vector<std::string> files;
  for (const fs::path& report : reports_of(from_json_value<CampaignReport>(from), path))
    files.push_back(report.string());
  return files;
}

/// Every JSON document below a folder, by name, but those of campaigns.
std::vector<std::string> documents_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure))
    if (at->path().extension() == ".json" && at->path().filename() != kCampaignFile &&
        at->is_regular_file())
      files.push_back(at->path().string());
  if (failure) throw ConfigError("{}: cannot be read: {}", shown_text(folder), failure.message());
  std::ranges::sort(files);
  return files;
}

/// The measurements of a path. Other documents of a folder are added to `others`.
std::vector<Snapshot> read(const std::string& path, std::vector<std::string>& others) {
  std::error_code none;
  const bool is_folder = fs::is_directory(path, none);
  bool several = is_folder;  // of which those without figures are passed over
  std::vector<Snapshot> all;
  std::vector<std::string> files = is_folder ? documents_in(path) : std::vector{path};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string file = files[i], name = shown_text(file), text = read_json_text(file);
    const bool is_json = is_folder || text.find_first_not_of(" \t\r\n") == text.find('{');
    std::optional<Snapshot> snapshot;
    if (is_json) {
      const JsonCursor::Json document = parse_json(name, text, "xhpl --json");
      if (std::vector<std::string> steps = steps_of(file, document); !steps.empty()) {
        files.insert(files.end(), steps.begin(), steps.end());
        several = true;
        continue;
      }
      snapshot = snapshot_of(document, name);
    } else {
      snapshot = snapshot_of_log(text, name);
    }
    if (!snapshot && !several)
      throw ConfigError(
          "{} must be a report of runs (xhpl run --json), of a fleet, a check or a campaign, or a "
          "log of HPL with rows of results, found {}",
          name, is_json ? "another document" : "none");
    if (snapshot && (!snapshot->trials.empty() || !snapshot->early_ends.empty()))
      all.push_back(std::move(*snapshot));
    else
      others.push_back(name);
  }
  if (std::ranges::all_of(all, [](const Snapshot& one) { return one.trials.empty(); }))
    throw ConfigError(
        "{} must hold a report of runs (xhpl run --json), of a fleet or of a check, found none "
        "with a figure",
        shown_text(path));
  return all;
}

/// The folder of a document that a campaign wrote; empty of others.
fs::path campaign_of(const Snapshot& document) {
  const fs::path folder = fs::path(document.side.files.front()).parent_path();
  std::error_code none;
  const bool is_campaign = fs::exists(folder / kCampaignFile, none) ||
                           fs::exists(folder / "campaign.txt", none);  // of version 0.2.0
  return is_campaign ? folder : fs::path();
}

/// Steps of a campaign are of one time, however many days it took.
void add_to_campaign(std::vector<Snapshot>& times, Snapshot document) {
  const fs::path campaign = campaign_of(document);
  const auto known = std::ranges::find_if(times, [&](const Snapshot& time) {
    return !campaign.empty() && campaign_of(time) == campaign;
  });
  if (known == times.end())
    times.push_back(std::move(document));
  else
    join(*known, std::move(document));
}

}  // namespace

Comparison compare_fleets(std::span<const FleetReport* const> fleets) {
  std::vector<Snapshot> sides;
  for (const FleetReport* const fleet : fleets)
    sides.push_back(snapshot_of(*fleet));
  return compare_sides(std::move(sides), {});
}

Comparison compare_documents(const CompareRequest& request) {
  std::vector<Snapshot> sides;
  std::vector<std::string> others;
  for (const std::string& path : request.paths) {
    std::vector<Snapshot> documents = read(path, others);
    if (request.history) {
      for (Snapshot& document : documents)
        if (document.trials.empty())
          others.push_back(document.side.name);
        else
          add_to_campaign(sides, std::move(document));
      continue;
    }
    Snapshot& side = sides.emplace_back();
    for (Snapshot& document : documents)
      join(side, std::move(document));
    side.side.name = shown_text(path);
  }
  if (request.history) sides = by_date(std::move(sides));
  if (sides.size() < 2)
    throw ConfigError("a history needs reports of two times or more, found those of one");
  Comparison comparison = compare_sides(std::move(sides), request.fail_below, request.strict);
  comparison.history = request.history;
  if (!others.empty())
    comparison.remarks.push_back(
        warning("documents", "passed over, without figures: {}", fmt::join(others, ", ")));
  return comparison;
}

}  // namespace hpl
