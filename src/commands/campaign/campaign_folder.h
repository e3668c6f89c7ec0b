#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "hpl/page/run_file.h"
#include "hpl/run/report/campaign_report.h"

namespace hpl::campaign {

/// The folder of a campaign, which one process has at a time. An empty one goes at the end.
class CampaignFolder {
 public:
  /// Makes the folder. Throws ConfigError where that cannot be, where another campaign is at work
  /// in it, and where it holds files but `must_be_new`.
  CampaignFolder(std::filesystem::path path, bool must_be_new);
  ~CampaignFolder();
  CampaignFolder(const CampaignFolder&) = delete;
  CampaignFolder& operator=(const CampaignFolder&) = delete;

  /// Names the process that has the folder, while it has it.
  static constexpr const char* kLockFile = "campaign.lock";

  const std::filesystem::path& path() const { return path_; }
  /// "june/check.json" of "check.json".
  std::filesystem::path file(std::string_view name) const { return path_ / name; }
  std::string text(std::string_view name) const;  ///< empty where there is none

  /// The document of an earlier start; empty: this is the first. Throws ConfigError.
  std::optional<CampaignReport> earlier() const;
  /// Throws RunError.
  void save(const CampaignReport& report) const;

  /// The report of a step that came to its end; empty: there is none.
  std::optional<page::RunFile> finished(const std::string& step) const;
  /// Keeps what a broken step left behind beside its next attempt: STEP.json.1, STEP.txt.1.
  void put_aside(const std::string& step) const;
  /// Removes the files of a step whose input was refused, and the document if no step is left.
  void forget(const std::string& step) const;

 private:
  void lock();

  std::filesystem::path path_;
  int lock_ = -1;
};

/// The whole file; empty where it cannot be read.
std::string text_of(const std::filesystem::path& file);

}  // namespace hpl::campaign
