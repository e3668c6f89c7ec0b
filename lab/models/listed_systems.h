#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/machine/decide/decide.h"
#include "hpl/machine/model/machine_sheet.h"

namespace hpl::models {

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
std::vector<ListedSystem> parse_list(const std::string& file_name, std::string_view text);

/// A data sheet of `xhpl predict --list` as lists have its accelerator.
struct ListedSheet {
  MachineSheet sheet;
  std::vector<std::string> names;   ///< as lists write the accelerator
  std::int64_t block_size = 1024;   ///< NB that its HPL is run with
  bool host_panels = false;         ///< its HPL factorizes panels on the host
  std::map<std::string, int> runs;  ///< accelerators of a run on fewer than the list counts
};
/// The names in listed.json.
std::vector<ListedSheet> read_listed_sheets(const std::string& file_name);

/// Applies a list's words about a node's network to its sheet: "Octo-rail NVIDIA HDR100
/// Infiniband".
void apply_interconnect(MachineSheet& sheet, std::string_view interconnect);

/// A system beside what is predicted for it.
struct PredictedSystem {
  ListedSystem listed;  ///< with the accelerators that its run took
  std::string remark;   ///< why nothing is predicted, or what is special; may be empty
  std::optional<DecidedRun> run;
  double tflops = 0;

  /// Predicted over listed, less one.
  double error() const { return tflops / listed.rmax_tflops - 1; }
};
/// The prediction of each system. One whose accelerator has no sheet has a remark in its place.
std::vector<PredictedSystem> predict_systems(const std::vector<ListedSystem>& systems,
                                             const std::vector<ListedSheet>& sheets);

/// The median of the magnitudes of the systems' errors; 0 of none.
double median_error(const std::vector<PredictedSystem>& systems);
/// The same without each of the systems in turn, in their order.
std::vector<double> median_errors_without_one(const std::vector<PredictedSystem>& systems);
std::string systems_text(const std::vector<PredictedSystem>& systems);

}  // namespace hpl::models
