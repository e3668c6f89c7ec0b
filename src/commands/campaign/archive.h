#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "campaign_folder.h"
#include "step_job.h"

namespace hpl::campaign {

/// Replaces what tells whose machine a text is of: names of hosts, domains and the user, addresses,
/// serial numbers, and directories.
class Anonymizer {
 public:
  /// Whole words, whatever their case, by what takes their place; the longer ones come first.
  void hide(const std::string& word, const std::string& by);
  /// A host, with or without its domain.
  void hide_host(const std::string& name);
  /// Serial numbers and hosts that a document of xhpl names.
  void hide_names_in(std::string_view document);
  /// The IP addresses of a text, each by a number of its own.
  void hide_addresses_in(std::string_view text);

  std::string applied_to(std::string text) const;

 private:
  std::map<std::string, std::string> words_;  // in lower case
  std::vector<std::string> stems_;            // of hosts, without the number at the end
  int hosts_ = 0, serials_ = 0, addresses_ = 0;
};

/// Packs the files of the folder. `hosts`: as they were given, for `anonymous`. Throws RunError.
void pack(const CampaignFolder& folder, const JobStarter& starter,
          const std::filesystem::path& archive, const std::vector<std::string>& hosts,
          bool anonymous);

}  // namespace hpl::campaign
