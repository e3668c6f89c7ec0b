#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/record/program_info.h"
#include "hpl/base/result/verdict.h"

namespace hpl {

/// A job of a campaign.
struct CampaignStep {
  std::string name;                  ///< "check"; its files are named after it
  std::string command{};             ///< for a shell; of an acceptance without output files
  std::vector<std::string> hosts{};  ///< empty: the machine that started it
  std::optional<Verdict> verdict{};  ///< empty: skipped
  std::optional<int> exit_code{};    ///< of the job; empty: it was not started, or not ended
  double seconds = 0;                ///< from start to end of the job
  std::string document{};            ///< file beside that of the campaign; empty: none
  std::string reason{};              ///< why it was skipped, failed or is to be repeated
};
void describe(Record& record, CampaignStep& step);

/// An acceptance or a proof in steps: the document campaign.json.
struct CampaignReport {
  ProgramInfo program;
  bool proof = false;
  std::vector<std::string> hosts{};   ///< as they were given; empty: the machine that started it
  std::optional<int> per_node{};      ///< ranks on each host; empty: those of its devices
  std::vector<std::string> denied{};  ///< hosts left out by --deny
  std::vector<CampaignStep> steps{};
  std::optional<Verdict> verdict{};     ///< empty while it goes on
  std::optional<ExitCode> exit_code{};  ///< empty while it goes on
  std::optional<std::string> error{};   ///< why it ended early
};
void describe(Record& record, CampaignReport& campaign);

/// The reports of its steps, which stand beside the document `path`, whatever folder they name.
std::vector<std::filesystem::path> reports_of(const CampaignReport& campaign,
                                              const std::filesystem::path& path);

/// Name of the document in the folder of a campaign.
inline constexpr const char* kCampaignFile = "campaign.json";
/// The member `kind` of the document.
inline constexpr const char* kCampaignKind = "campaign";

}  // namespace hpl
