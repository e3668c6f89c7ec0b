#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/base/result/timeline.h"

namespace hpl {

struct RunResult;

/// Every moment of a run on one rank, or of the mean rank, counted once: as products, as the phase
/// that nothing hides then, or as waiting. Adds up to the duration of the run.
struct TimeAccount {
  PhaseTimes exposed;  ///< Multiply: all products; other phases: without a product beside them
  double waiting = 0;  ///< seconds in which nothing goes on
  double product_flops = 0;  ///< operations of the products, of all ranks
};

/// The account of one rank, by the spans of `seconds` from the start of its time line.
TimeAccount time_account(std::span<const Span> spans, double seconds);

/// Times are means, operations are sums.
TimeAccount mean_account(std::span<const TimeAccount> ranks);

/// A part of the run's time.
struct AccountEntry {
  std::string name;
  double share = 0;  ///< of the run's time; all add up to 1
};
/// Products at the attainable rate first, then what was lost, the worst first, without parts below
/// a tenth of a percent, which are the last entry together. Empty without an account.
std::vector<AccountEntry> account_entries(const RunResult& run);

/// Share of the time in which panels are made, sent or copied and no product goes on.
double exposed_panel_share(const RunResult& run);

}  // namespace hpl
