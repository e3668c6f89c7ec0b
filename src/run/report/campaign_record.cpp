#include "hpl/base/record/record.h"
#include "hpl/base/record/text_forms.h"
#include "hpl/run/report/campaign_report.h"
#include "hpl/run/report/job_report.h"

namespace hpl {

void describe(Record& record, CampaignStep& step) {
  record.type("step");
  record("name", step.name);
  record("command", step.command, "For a shell; of an acceptance without output files.");
  record("hosts", step.hosts, "Empty: the machine that started it.");
  record("verdict", step.verdict, kVerdicts, "null: skipped.");
  record("exit_code", step.exit_code, "Of the job; null: it was not started, or did not end.");
  record("seconds", step.seconds, "From start to end of the job.", kNotNegative);
  record("document", step.document, kTextOrNull, "The file beside this one.");
  record("reason", step.reason, kTextOrNull, "Why it was skipped, failed or is to be repeated.");
}

std::vector<std::filesystem::path> reports_of(const CampaignReport& campaign,
                                              const std::filesystem::path& path) {
  std::vector<std::filesystem::path> reports;
  for (const CampaignStep& step : campaign.steps)
    if (!step.document.empty())
      reports.push_back(path.parent_path() / std::filesystem::path(step.document).filename());
  return reports;
}

void describe(Record& record, CampaignReport& campaign) {
  record.document({.title = "Campaign",
                   .description = "Written by xhpl campaign, beside the documents of its steps.",
                   .kind = kCampaignKind});
  record("program", campaign.program);
  record("proof", campaign.proof, "Steps of --proof.");
  record("hosts", campaign.hosts, "As they were given. Empty: the machine that started it.");
  record("per_node", campaign.per_node, "Ranks on each host; null: those of its devices.");
  record("denied", campaign.denied, "Hosts left out by --deny.");
  record("steps", campaign.steps, "In the order of their start.");
  record("verdict", campaign.verdict, kVerdicts, "null: it goes on, or was killed.");
  describe_exit_code(record, campaign.exit_code);
  record("error", campaign.error, "Why it ended early.");
}

}  // namespace hpl
