#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign_folder.h"
#include "hpl/commands/campaign/options.h"
#include "hpl/page/run_file.h"
#include "hpl/run/report/campaign_report.h"
#include "step_job.h"

namespace hpl::campaign {

using Words = std::vector<std::string>;

Words joined(Words first, const Words& second);

/// Programs, hosts, folder and document of an acceptance or a proof.
class CampaignJob {
 public:
  /// Looks for the programs and resolves the hosts. Throws ConfigError.
  CampaignJob(const CampaignOptions& given, const JobStarter& programs, const Words& words);

  /// Throws ConfigError where xhpl would refuse the command line of a step.
  void require_words(const std::string& step, const Words& words) const;

  /// The step as the document will have it: its command and hosts.
  CampaignStep step(std::string name, const Words& words) const;
  /// Runs xhpl with these words on the hosts that are left; STEP.txt has the output. `before`:
  /// words that stand before xhpl on every rank. Throws RunError where a signal ended it.
  JobEnd run(const std::string& name, const Words& words, std::optional<double> most_seconds = {},
             const Words& before = {});
  /// Adds a step to the document, and prints its line.
  void add(CampaignStep step, const std::string& note);
  void save() const;
  /// The document of an earlier start takes the place of this one's, if no step was started.
  void leave_as_found() const;
  /// Ends the document with the reason for which the campaign did not come to its end.
  void break_off(const std::string& reason);

  /// Refuses the input of a step: what it left behind goes. `why` is xhpl's own message.
  [[noreturn]] void refuse(const std::string& step) const;

  /// Prints a line of progress.
  static void say(const std::string& text);

  const CampaignOptions& options;
  const JobStarter& starter;
  CampaignFolder folder;
  CampaignReport report;
  std::optional<CampaignReport> earlier;  ///< of an earlier start; empty: this is the first
  Words left;                             ///< hosts of the next step; empty: this machine

 private:
  void resolve_hosts();

  bool has_started_ = false;

  std::string xhpl_, xhpl_mpirun_, xhpl_fleet_;
};

/// The hosts of `all` that are not in `out`, in their order; with or without their domains.
Words without(const Words& all, const Words& out);

/// "passed", "failed": of a step; "skipped" of none.
std::string word_of(const std::optional<Verdict>& verdict);

}  // namespace hpl::campaign
