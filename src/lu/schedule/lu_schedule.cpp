#include "hpl/lu/schedule/lu_schedule.h"

#include <deque>
#include <utility>
#include <vector>

#include "lu_columns.h"
#include "lu_ledger.h"

namespace hpl {

namespace {

/// The order of the LU. What each task waits for is the ledger's to know.
class LuOrder {
 public:
  LuOrder(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy)
      : policy_(policy),
        d_(policy.look_ahead),
        columns_(shape, policy),
        steps_(columns_.steps()),
        ledger_(spec, columns_, policy) {}

  /// Iteration j makes panel j and updates the tail with panel k, d steps behind. Block column j
  /// runs ahead of the tail: it gets its last d updates before them.
  Schedule write() && {
    for (Step j = 0; j < steps_ + d_; ++j) {
      const Step k = j - d_;
      if (j < steps_) {
        bring_up_to(j - 1, columns_.block_column(j));
        make_panel(j);
        ledger_.store_above(j);
      }
      if (k >= 0) {
        if (policy_.host_takes_part) offer_to_host(k);
        bring_up_to(k, columns_.tail(k));
        ledger_.end_tail(k);
      }
      // Behind what the tail stores, whose slots others wait for while the panel is made.
      if (j < steps_) {
        ledger_.store_diagonal(j);
        ledger_.load_u(j);
      }
      if (k >= 0) ledger_.finish(k - policy_.host_ahead);
    }
    for (Step k = steps_ - policy_.host_ahead; k < steps_; ++k)
      ledger_.finish(k);
    return std::move(ledger_).take();
  }

 private:
  void make_panel(Step j) {
    if (columns_.owns(j)) {
      ledger_.fetch(j);      // X := A(j:, j)
      ledger_.factorize(j);  // P X = L(j:, j) U(j, j)
    }
    ledger_.broadcast(j);  // X, P -> process row
    ledger_.prepare(j);    // P as an exchange of rows; L(j, j)^-1
    ledger_.store_panel(j);
  }

  void eliminate(Step k, const ColumnRange& c) {
    ledger_.swap(k, c);        // A(k:, c) := P A(k:, c)
    ledger_.solve(k, c);       // U(k, c) := L(k, k)^-1 A(k, c)
    ledger_.all_gather(k, c);  // U(k, c) -> process column, where each process has solved a part
    ledger_.update(k, c);      // A(k+1:, c) := A(k+1:, c) - L(k+1:, k) U(k, c)
  }

  /// Applies to each chunk all panels up to k that it has not seen: just one where the chunk is
  /// always on the device. Two visits alternate, half a visit apart: rows of one are exchanged and
  /// solved while the other is updated.
  void bring_up_to(Step k, const std::vector<ColumnRange>& chunks) {
    for (const ColumnRange& c : chunks) {
      ledger_.load(c);
      if (!visits_.empty()) begin_half_a_visit_ahead(k);
      visits_.push_back({c, ledger_.next_step(c)});
      while (visits_.size() > 1)
        advance_first(k);
    }
    while (!visits_.empty())
      advance_first(k);
  }
  /// Gives a lone visit that is about to begin half of its steps, so that the next one does not
  /// keep step with it.
  void begin_half_a_visit_ahead(Step k) {
    const auto [c, first] = visits_.front();
    if (ledger_.next_step(c) > first) return;
    for (Step half = (k + 1 - first) / 2; half > 0; --half)
      advance_first(k);
  }
  void advance_first(Step k) {
    const auto [c, first] = visits_.front();
    visits_.pop_front();
    if (ledger_.next_step(c) <= k) eliminate(ledger_.next_step(c), c);
    if (ledger_.next_step(c) <= k)
      visits_.push_back({c, first});
    else if (columns_.is_visited(c) && !columns_.stay_after(k, c))
      ledger_.store(k, c);
  }

  /// The visits of step k, from the left. Not a column's last one, after which it stays on the
  /// device.
  void offer_to_host(Step k) {
    for (const ColumnRange& c : columns_.ending_visits(k))
      if (!ledger_.on_device(c) && !columns_.stay_after(k, c)) ledger_.offer_to_host(k, c);
  }

  /// Columns under elimination, and the first step that they get in this visit.
  struct Visit {
    ColumnRange columns;
    Step first;
  };

  SchedulePolicy policy_;
  Step d_;
  LuColumns columns_;
  Step steps_;
  LuLedger ledger_;
  std::deque<Visit> visits_;  // under way
};

}  // namespace

Schedule lu_schedule(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy) {
  return LuOrder(spec, shape, policy).write();
}

}  // namespace hpl
