#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/record/program_info.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/machine/model/predicted_time.h"

namespace hpl {

/// A run that was predicted.
struct PredictedRun {
  std::string scenario;  ///< the change that was asked for; empty: the machine as it is
  int nodes = 1;
  RunSpec spec;
  int node_rows = 1, node_columns = 1;  ///< of the part of the grid on one node
  int look_ahead = 0;
  std::int64_t chunk_columns = 1;  ///< the widest
  std::string pipeline;
  bool device_panel = false, device_matrix = true;
  double memory_bytes = 0;  ///< of a rank
  Prediction prediction;
  std::optional<std::int64_t> half_order;  ///< N1/2: the order at half of this rate
  std::vector<RatePoint> smaller{};        ///< the rate over N; empty: not asked for
};

/// A system of the TOP500 list beside what is predicted for it.
struct PredictedSystem {
  std::string name, accelerator;
  int accelerators = 0;
  double listed_tflops = 0;
  std::string remark;  ///< why nothing is predicted, or what is special; may be empty
  std::optional<PredictedRun> run;
  double least_tflops = 0, most_tflops = 0;

  /// Predicted over listed, less one.
  double error() const { return run->prediction.tflops() / listed_tflops - 1; }
};

struct PredictionReport {
  ProgramInfo program{};
  std::string machine, origin;  ///< the owner of the rates, and their source
  std::vector<PredictedRun> runs;
  std::vector<PredictedSystem> systems;
};

/// The median of the magnitudes of the systems' errors; 0 of none.
double median_error(const std::vector<PredictedSystem>& systems);
/// The same without each of the systems in turn, in their order.
std::vector<double> median_errors_without_one(const std::vector<PredictedSystem>& systems);

/// Tables for people.
std::string prediction_text(const PredictionReport& report);
void describe(Record& record, PredictedRun& run);
void describe(Record& record, PredictedSystem& system);
/// The document of docs/schema/prediction.schema.json.
void describe(Record& record, PredictionReport& report);

}  // namespace hpl
