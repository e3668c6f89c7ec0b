#pragma once

#include <span>
#include <vector>

#include "hpl/machine/model/prediction.h"

namespace hpl {

/// What each task of a run costs a rank with these rates, alone on its device. Sizes are doubles:
/// the overlapped model takes those of a rank with an average share.
class CostModel {
 public:
  /// Throws ConfigError where the rates lack what the configuration needs.
  CostModel(const Configuration& configuration, const Rates& rates);

  double fetch(double rows, double width) const;
  /// The panel that is made while so many local columns are updated; 0: alone.
  const PanelRates& panel(double columns_beside) const;
  /// `rows`: of the process that has most.
  double factorize(double rows, double width, double columns_beside) const;
  double panel_bytes(double rows, double width) const;
  /// To process column `to`, so many hops from the root `from`: one message over the link that they
  /// have.
  double row_message(int from, int to, double bytes) const;
  double prepare(double rows, double width) const;
  double swap(double width, double columns) const;
  double solve(double width, double columns) const;
  double all_gather(double width, double columns) const;
  double update(double rows, double columns, double width) const;
  /// Columns that live in host memory, to the device and back, while others go the other way.
  double load(double rows, double columns) const;
  double store(double rows, double columns) const;
  double back_substitution() const;
  double task() const { return rates_.task_seconds; }

  bool divided(double columns) const;
  const Rates& rates() const { return rates_; }
  const Configuration& configuration() const { return configuration_; }
  /// How fast a rank multiplies, as a share of the table's rate.
  double speed(int rank) const;
  /// The slowest that is to be expected of all ranks.
  double slowest() const { return slowest_; }

 private:
  const LinkRates* link_between(Neighbours neighbours, int from, int to, int in_node) const;
  double column_message(double bytes) const;

  const Configuration& configuration_;
  const Rates& rates_;
  const PanelRates* panel_ = nullptr;
  const PanelRates* narrow_panel_ = nullptr;
  bool copies_panel_ = false;
  double slowest_ = 1;
};

/// When a panel that the root begins to send at `begin[root]` has arrived, by process column.
/// `begin`: when each process is ready for it.
std::vector<double> broadcast_arrivals(const CostModel& costs, int root, double bytes,
                                       std::span<const double> begin);

/// A panel of so many bytes along a process row whose processes are all ready for it, the mean over
/// the process columns that may have it.
struct BroadcastTimes {
  std::vector<double> arrival;  ///< so many process columns from the one that has it; 0: 0
  double interval = 0;          ///< between two panels, one after another on the slowest link

  double next() const { return arrival.size() < 2 ? 0 : arrival[1]; }
  double all_have_it() const;
};
BroadcastTimes broadcast_times(const CostModel& costs, double bytes);

// The models, see ModelKind.
Prediction predict_by_paper(const CostModel& costs, const PaperCoefficients& coefficients);
Prediction predict_overlapped(const CostModel& costs);
Prediction predict_by_simulation(const CostModel& costs);

}  // namespace hpl
