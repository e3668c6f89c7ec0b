#pragma once

#include "campaign_job.h"
#include "hpl/base/error/error.h"

namespace hpl::campaign {

/// The five steps of a campaign, each on the hosts that passed the steps before. Throws RunError
/// where one did not come to its end.
ExitCode run_acceptance(CampaignJob& job);

}  // namespace hpl::campaign
