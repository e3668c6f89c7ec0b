#pragma once

#include <vector>

#include "hpl/base/text/table.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

// The tables of a run; without rows where a run has nothing to say.

/// The attainable rate and its losses, which add up to 100 %. Entries below the share `least`
/// become one.
Table account_table(const RunResult& result, double least);
/// Seconds of each phase on the slowest and on the fastest rank.
Table phase_table(const RunResult& result);
/// Expected and measured seconds of each phase, on the rank furthest beyond the model.
Table expectation_table(const RunResult& result);
/// The mean of the devices' means, the least and the most of any device.
Table sensor_table(const RunResult& result);
/// Averages by meter and by sensors.
Table power_table(const RunResult& result);
/// The level of the power measurement, by aspect.
Table power_level_table(const RunResult& result);

/// All that have rows, for pages and Markdown.
std::vector<Table> tables_of(const RunResult& result);

}  // namespace hpl
