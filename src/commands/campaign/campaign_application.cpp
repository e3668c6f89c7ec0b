#include "campaign_application.h"

#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "acceptance.h"
#include "campaign_job.h"
#include "hpl/base/error/error.h"
#include "hpl/base/file/standard_output.h"
#include "hpl/commands/campaign/options.h"
#include "proof.h"

namespace hpl::campaign {
namespace {

ExitCode run(CampaignJob& job) {
  try {
    return job.options.proof ? run_proof(job) : run_acceptance(job);
  } catch (const ConfigError&) {
    job.leave_as_found();
    throw;
  } catch (const std::exception& error) {
    job.break_off(error.what());
    throw;
  }
}

}  // namespace

int run_campaign_application(int argc, const char* const* argv) {
  return run_program("xhpl campaign", [&] {
    const CampaignOptions options = parse_campaign_command_line(argc, argv);
    if (!options.text.empty()) {
      write_standard_output(options.text);
      return ExitCode::Passed;
    }
    const JobStarter starter;
    Words words{"xhpl", "campaign"};
    words.insert(words.end(), argv + 1, argv + argc);
    CampaignJob job(options, starter, words);
    return run(job);
  });
}

}  // namespace hpl::campaign
