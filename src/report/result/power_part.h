#pragma once

#include <optional>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// The power of a run as documents hold it: with the rate per watt.
struct PowerPart {
  RunPower power;
  std::optional<double> gflops;  ///< of the run; empty: it was stopped
};
void describe(Record& record, PowerPart& part);

std::optional<PowerPart> power_part(const RunResult& run);

}  // namespace hpl
