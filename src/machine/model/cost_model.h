#pragma once

#include "hpl/machine/model/prediction.h"

namespace hpl {

/// The time of an exchange of rows along a process column. Seconds; products slow down the copies.
struct ExchangeSeconds {
  double messages = 0;
  double copies = 0;  ///< within the memory of the matrix

  double alone() const { return messages + copies; }
};

/// The cost of each task of a run for a rank with these rates, alone on its device.
class CostModel {
 public:
  /// Throws ConfigError where the rates lack what the decided needs.
  CostModel(const DecidedRun& decided, const Rates& rates);

  double fetch(double rows, double width) const;
  /// The panel that is made while so many local columns are updated; 0: alone.
  const PanelRates& panel(double overlapped_columns) const;
  /// The fractions of their rates that this panel and the products keep; `rows`: of the process
  /// that has most.
  PanelShares panel_interference(double rows, double width, double overlapped_columns) const {
    return panel(overlapped_columns).shares(rows, width);
  }
  double factorize(double rows, double width, double overlapped_columns) const;
  double panel_bytes(double rows, double width) const;
  /// Between two processes of a row that have such a link.
  double row_message(LinkPlace place, double bytes) const;
  /// `rows`: of L21 that HPL-MxP writes back; 0 beside the process column of the panel.
  double prepare(double rows, double width) const;
  ExchangeSeconds swap(double width, double columns) const;
  double solve(double width, double columns) const;
  ExchangeSeconds all_gather(double width, double columns) const;
  /// The fraction of their rate that products keep meanwhile: beside copies of rows, then messages.
  double product_fraction_beside_exchange(double width, double columns) const;
  /// Likewise, the mean over the process rows: one of them solves for U of HPL-MxP.
  double product_fraction_beside_solve() const;
  double update(double rows, double columns, double width) const;
  /// The time of the products of these columns beside a panel that is being factorized, on a rank
  /// of this speed: they lose to it, and to the exchange and solve of their own rows.
  double overlapped_products(double rows, double columns, double width, double speed) const;
  /// Columns that live in host memory, to the device and back, while others go the other way.
  double load(double rows, double columns) const;
  double store(double rows, double columns) const;
  /// Behind the factorization: back substitution, or the refinement of HPL-MxP.
  double solution() const { return mixed_ == nullptr ? back_substitution() : refinement(); }
  Phase solution_phase() const {
    return mixed_ == nullptr ? Phase::BackSubstitution : Phase::Refinement;
  }
  double task() const { return rates_.task_seconds; }

  bool divided(double columns) const;
  const Rates& rates() const { return rates_; }
  const DecidedRun& decided() const { return decided_; }
  /// The rate of a rank's products, as a share of the table's rate.
  double speed(int rank) const;
  /// The slowest that is to be expected of all ranks.
  double slowest() const { return slowest_; }

 private:
  /// The slowest hop of the row, and of the column.
  double row_message(double bytes) const;
  double column_message(double bytes) const;
  /// Likewise, while `back` bytes come, as many at most.
  double column_message(double bytes, double back) const;
  double column_broadcast(double bytes) const;
  /// An exchange of the parts of a vector of `bytes` along the row, or the column.
  double row_exchange(double bytes) const;
  double column_exchange(double bytes) const;
  double back_substitution() const;
  double refinement() const;
  /// Bytes of an element of a panel and of U.
  double element_bytes() const;
  /// The conversion of elements between the matrix and what products take; HPL-MxP alone.
  double convert(double elements) const;
  /// Once through the memory of the matrix: U, or the rows that give way. HPL-MxP moves none.
  double row_copy(double width, double columns) const;
  /// The additional time of a panel's column on several process rows.
  double pivot(double overlapped_columns) const;

  const DecidedRun& decided_;
  const Rates& rates_;
  const MixedRates* mixed_ = nullptr;  // null: HPL
  const PanelRates* panel_ = nullptr;
  const PanelRates* narrow_panel_ = nullptr;
  bool copies_panel_ = false;
  double slowest_ = 1;
};

/// Seconds of work that takes `seconds` alone, and goes at `fraction` of its rate for the first
/// `overlap` seconds.
double slowed_down(double seconds, double overlap, double fraction);

// The models, see ModelKind.
Prediction predict_by_samples(const CostModel& costs);
Prediction predict_by_simulation(const CostModel& costs);
/// The time lines behind that prediction.
Timelines simulate_timelines(const CostModel& costs);

}  // namespace hpl
