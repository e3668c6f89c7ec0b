#pragma once

#include <vector>

#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// How fast a run was and when, from its steps.
struct RateHistory {
  struct Point {
    double seconds = 0;   ///< middle of an interval
    double done = 0;      ///< share of the operations done by then, 0 to 1
    double interval = 0;  ///< GFLOP/s of the interval
    double overall = 0;   ///< GFLOP/s since the start, by then
  };
  std::vector<Point> points;
  double seconds = 0;  ///< when the last step was done
};

/// At most `intervals` points: steps are put together until an interval is long enough. Steps that
/// do not advance in columns and time are passed over. Empty when fewer than two are left, for a
/// rate needs a begin and an end.
RateHistory rate_history(const Run& run, int intervals = 160);

}  // namespace hpl::page
