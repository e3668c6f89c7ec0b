#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/record/program_info.h"
#include "hpl/base/result/remark.h"
#include "hpl/base/text/table.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/machine/model/predicted_time.h"

namespace hpl {

/// A run that was predicted.
struct PredictedRun {
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

struct PredictionReport {
  ProgramInfo program{};
  std::string machine, origin;  ///< the owner of the rates, and their source
  std::vector<PredictedRun> runs;
  std::vector<Remark> remarks{};  ///< on the rates
};

/// The owner of the rates, and of HPL-MxP its label.
std::string prediction_head(const PredictionReport& report);
/// The runs, then the shares of their time; none without runs.
std::vector<Table> tables_of(const PredictionReport& report);
/// For people.
std::string prediction_text(const PredictionReport& report);
void describe(Record& record, PredictedRun& run);
/// The document of docs/schema/prediction.schema.json.
void describe(Record& record, PredictionReport& report);

}  // namespace hpl
