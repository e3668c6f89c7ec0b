#pragma once

#include <utility>
#include <vector>

#include "campaign_job.h"
#include "hpl/base/error/error.h"

namespace hpl::campaign {

/// The steps of a proof, within their time. A step that fails is a result, and the next one
/// follows.
ExitCode run_proof(CampaignJob& job);

/// Rows and columns of the grids of a proof: the one nearest to a square, the flattest that is not
/// below 1 : 8, and both turned.
std::vector<std::pair<int, int>> grids_of(int ranks);

}  // namespace hpl::campaign
