#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpl::page {

/// A run that xhpl-predict predicted.
struct PredictedRun {
  std::string scenario;  ///< "nic=200Gb"; empty: the machine as it is
  std::string model;
  std::int64_t nodes = 1;
  std::int64_t order = 0, block_size = 0, grid_rows = 0, grid_columns = 0;
  double seconds = 0, gflops = 0;
  std::optional<double> efficiency, energy_joules;
  std::optional<std::int64_t> half_order;             ///< N1/2
  std::vector<std::pair<double, double>> over_order;  ///< N and GFLOP/s of smaller runs
  double multiply_seconds = 0;                        ///< in products of the tail
  /// What no product hides: phase and seconds; those of `waiting for other ranks` at the end.
  std::vector<std::pair<std::string, double>> exposed;

  std::int64_t ranks() const { return grid_rows * grid_columns; }
};

/// A system of a list beside what is predicted for it.
struct PredictedSystem {
  std::string name, accelerator, remark;
  std::int64_t accelerators = 0;
  double listed_gflops = 0;
  std::optional<double> gflops, least_gflops, most_gflops, error;
};

/// A document of xhpl-predict --json.
struct Predictions {
  std::string machine, origin;
  std::vector<PredictedRun> runs;
  std::vector<PredictedSystem> systems;
  std::optional<double> median_error;
};

}  // namespace hpl::page
