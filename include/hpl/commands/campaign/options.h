#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hpl/input/command_line/command_line.h"

namespace hpl::campaign {

/// The command line of xhpl-campaign.
struct CampaignOptions {
  std::optional<std::filesystem::path> directory{};
  std::string hosts{};                               ///< a list, as it was given
  std::optional<std::filesystem::path> host_file{};  ///< in place of it
  std::vector<std::string> denied{};
  std::optional<int> per_node{};  ///< ranks on each host
  std::vector<std::string> check_flags{}, fleet_flags{"--auto", "--repeat", "5"};
  std::optional<std::vector<std::string>> run_flags{};  ///< empty: --auto, and repetitions
  std::vector<std::string> flags{};                     ///< of xhpl, for every step
  bool proof = false, anonymous = false;
  std::optional<int> seconds{};                            ///< of a proof
  std::optional<std::filesystem::path> xhpl{}, starter{};  ///< empty: beside this program
  std::string text{};  ///< help or version to print; nothing else is done then
};

/// Words that the program does not know are flags of xhpl, wherever they stand. Throws ConfigError.
CampaignOptions parse_campaign_command_line(int argc, const char* const* argv);

/// The flags that it knows, in the order of --help.
std::vector<Flag> campaign_flags();

}  // namespace hpl::campaign
