#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hpl/machine/decide/decide.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/predict/predict_options.h"
#include "hpl/predict/prediction_report.h"

namespace hpl {

/// All runs that the options ask for, on the machine as it is and in each scenario. Throws
/// ConfigError where they do not fit the machine.
PredictionReport predict_runs(const PredictOptions& options, const MachineFile& machine);

/// The record of a prediction.
PredictedRun predicted_run(const DecidedRun& decided, Prediction prediction);

/// A line of a TOP500 list.
struct ListedSystem {
  std::string name, accelerator, interconnect;
  int accelerators = 0;
  double rmax_tflops = 0;
  std::int64_t order = 0;
};
/// The systems of a CSV file with a line of names: name, accelerator, n_acc_derived, rmax_tf, nmax,
/// interconnect; other columns are passed over. Throws ConfigError with line, column, what was
/// found and what is allowed.
std::vector<ListedSystem> parse_top500(const std::string& file_name, std::string_view text);

/// The data sheets of a directory.
std::vector<MachineSheet> read_sheets(const std::string& directory);

/// Applies a list's words about a node's network to its sheet: "Octo-rail NVIDIA HDR100
/// Infiniband".
void apply_interconnect(MachineSheet& sheet, std::string_view interconnect);

/// The prediction of each system. One whose accelerator has no sheet has a remark in its place.
std::vector<PredictedSystem> predict_systems(const std::vector<ListedSystem>& systems,
                                             const std::vector<MachineSheet>& sheets);

}  // namespace hpl
