#pragma once

namespace hpl::campaign {

/// The program xhpl-campaign, from the command line to its exit code.
int run_campaign_application(int argc, const char* const* argv);

}  // namespace hpl::campaign
