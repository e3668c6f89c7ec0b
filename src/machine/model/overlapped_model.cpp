#include <algorithm>
#include <cmath>
#include <vector>

#include "cost_model.h"

namespace hpl {

namespace {

/// How many of `units` one of `parts` has: between an equal share and whole blocks. With look-ahead
/// a rank with a block too many is behind for a step and catches up in the next; half of the excess
/// remains. Compared with simulations, see docs/model.md.
double share_of(double size, double block, int parts) {
  if (size <= 0) return 0;
  const double equal = size / parts;
  const double most = std::min(size, std::ceil(std::ceil(size / block) / parts) * block);
  return equal + 0.5 * std::max(0.0, most - equal);
}

/// What the stages of one step take, for a rank with such a share.
struct StepTimes {
  double beside = 0;  ///< columns that are updated while the panel is made
  double panel = 0;   ///< fetched and factorized
  BroadcastTimes broadcast;
  double prepare = 0;
  double ahead_exchange = 0, ahead_update = 0;  ///< of the block column that is next
  double swap = 0, solve = 0;                   ///< of the rest; swap with the all-gather
  double update = 0;                            ///< of all columns
  double copies = 0;                            ///< of columns in host memory: the slower way
  double chunks = 1;
};

class OverlappedModel {
 public:
  explicit OverlappedModel(const CostModel& costs)
      : costs_(costs), configuration_(costs.configuration()), spec_(configuration_.spec) {
    const LocalShape shape = largest_local_shape(spec_);
    visited_ = static_cast<double>(visited_part(shape, configuration_.schedule.visits).columns);
    resident_ = static_cast<double>(shape.stored_columns) - visited_;
  }

  Prediction predict() {
    const auto n = static_cast<double>(spec_.order);
    const auto block = static_cast<double>(spec_.block_size);
    const auto limit = configuration_.schedule.step_limit;
    const std::int64_t all = (spec_.order + spec_.block_size - 1) / spec_.block_size;
    const std::int64_t steps = limit > 0 ? std::min(limit, all) : all;
    StepTimes step = times(0, std::min(block, n));
    for (std::int64_t k = 0; k < steps; ++k) {
      const double first = static_cast<double>(k + 1) * block;
      const StepTimes next = k + 1 < steps ? times(first, std::min(block, n - first)) : StepTimes{};
      add(step, next, k == 0);
      step = next;
    }
    if (steps == all) expose(Phase::BackSubstitution, costs_.back_substitution());
    sum_.busy[Phase::BackSubstitution] = sum_.exposed[Phase::BackSubstitution];
    sum_.exposed[Phase::Multiply] = sum_.busy[Phase::Multiply];
    return sum_;
  }

 private:
  StepTimes times(double first, double width) const {
    const auto block = static_cast<double>(spec_.block_size);
    const double n = static_cast<double>(spec_.order);
    const int p = spec_.grid_rows, q = spec_.grid_columns;
    const double tail = n - first - width;
    const double below = share_of(tail, block, p);
    const double columns = share_of(tail + 1, block, q);
    const double panel_rows = below + (p == 1 ? width : width / p);
    StepTimes t;
    // Made while the tail is updated with the panel before.
    t.beside = configuration_.schedule.look_ahead > 0 && first > 0 ? columns : 0;
    t.panel = costs_.fetch(panel_rows, width) + costs_.factorize(panel_rows, width, t.beside) +
              2 * costs_.task();
    t.broadcast = broadcast_times(costs_, costs_.panel_bytes(below, width));
    t.prepare = costs_.prepare(below, width) + costs_.task();
    const double ahead = std::min(width, columns);
    const double rest =
        std::max(0.0, columns - (configuration_.schedule.look_ahead > 0 ? ahead / q : 0));
    const auto width_of_chunk = static_cast<double>(chunk_width(
        configuration_.schedule, static_cast<std::int64_t>(std::ceil(rest)), spec_.block_size));
    t.chunks = std::max(1.0, std::ceil(rest / std::max(block, width_of_chunk)));
    const double piece = rest / t.chunks;
    if (visited_ > 0) {
      // The columns from the left live in host memory, and are moved once in so many steps.
      const double left = std::max(0.0, rest - resident_);
      t.copies = std::max(costs_.load(below, left), costs_.store(below, left)) /
                 configuration_.schedule.visits.steps;
    }
    if (tail > 0) {
      t.ahead_exchange = costs_.swap(width, ahead) + costs_.solve(width, ahead) +
                         costs_.all_gather(width, ahead) + 3 * costs_.task();
      t.ahead_update = costs_.update(below, ahead, width) / costs_.slowest() + costs_.task();
    }
    if (piece > 0) {
      t.swap = t.chunks *
               (costs_.swap(width, piece) + costs_.all_gather(width, piece) + 2 * costs_.task());
      t.solve = t.chunks * (costs_.solve(width, piece) + costs_.task());
      t.update =
          t.chunks * (costs_.update(below, piece, width) / costs_.slowest() + costs_.task()) +
          (configuration_.schedule.look_ahead > 0 ? t.ahead_update / q : 0);
    }
    return t;
  }

  /// Step k: its update, beside the panel of the step after it.
  void add(const StepTimes& t, const StepTimes& next, bool is_first) {
    const SharedRates& shared = costs_.rates().shared;
    const double exchange = t.ahead_exchange / spec_.grid_columns + t.swap + t.solve;
    sum_.busy[Phase::PanelFactorization] += t.panel / spec_.grid_columns;
    sum_.busy[Phase::PanelBroadcast] += t.broadcast.all_have_it();
    sum_.busy[Phase::PanelTransfer] += t.prepare;
    sum_.busy[Phase::RowSwap] += t.ahead_exchange / spec_.grid_columns + t.swap;
    sum_.busy[Phase::Solve] += t.solve;
    const bool serial = configuration_.pipeline == PipelineKind::Serial;
    // One thread that waits for messages enqueues no products meanwhile.
    const bool waits_for_rows =
        serial || (configuration_.pipeline == PipelineKind::Coarse && spec_.grid_rows > 1);
    const bool ahead = configuration_.schedule.look_ahead > 0;
    double update = t.update;
    if (!serial)
      update += (1 - shared.product_beside_swap) * (t.swap + t.prepare) +
                (1 - shared.product_beside_solve) * t.solve +
                (1 - shared.product_beside_messages) * t.broadcast.all_have_it();
    // Loads and stores run beside products; without products beside them they are what a step
    // takes.
    if (t.copies > update) expose(Phase::MatrixLoad, t.copies - update);
    sum_.busy[Phase::MatrixLoad] += t.copies;
    if (!serial && ahead)
      update += (1 - costs_.panel(next.beside).product_beside) * next.panel / spec_.grid_columns;
    sum_.busy[Phase::Multiply] += update;
    sum_.seconds += update;

    if (is_first || !ahead || serial) {
      // Nothing runs beside the panel.
      expose(Phase::PanelFactorization, t.panel);
      expose(Phase::PanelBroadcast,
             ahead && serial ? t.broadcast.next() : t.broadcast.all_have_it());
      expose(Phase::PanelTransfer, t.prepare);
    }
    // The first chunk is exchanged and solved before its product, others beside products; where
    // there is one, it waits for the product of the step before.
    const double alone = waits_for_rows || is_first || t.chunks < 2 ? 1 : 0;
    const double share = waits_for_rows ? 1 : 1 / t.chunks;
    expose(Phase::RowSwap, alone * share * t.swap);
    expose(Phase::Solve, alone * share * t.solve);
    if (serial) {
      expose(Phase::RowSwap, t.ahead_exchange / spec_.grid_columns);
      return;
    }
    const double hidden_swap = (1 - alone * share) * exchange;
    if (hidden_swap > update) expose(Phase::RowSwap, hidden_swap - update);
    if (!ahead) return;
    // What the next panel needs, one after another, against the products that run meanwhile.
    const double kept = costs_.panel(next.beside).beside_product;
    const double panel = std::min(next.panel / kept, next.panel + (1 - kept) * update);
    const double chain = t.ahead_exchange + t.ahead_update + panel + next.prepare;
    const double beside = update + alone * share * (t.swap + t.solve);
    // What a process that is d columns from the owner of the panel is behind when the panel arrives
    // there, it makes up for until it owns one itself, d steps later.
    double behind = chain - beside;
    for (std::size_t d = 1; d < next.broadcast.arrival.size(); ++d)
      behind =
          std::max(behind, (chain + next.broadcast.arrival[d] - beside) / static_cast<double>(d));
    // Panels follow each other on every link.
    behind = std::max(behind, next.broadcast.interval - beside);
    if (behind <= 0) return;
    const double of_panel = std::clamp(chain - beside, 0.0, std::min(behind, next.panel));
    expose(Phase::PanelFactorization, of_panel);
    expose(Phase::PanelBroadcast, std::min(behind - of_panel, next.broadcast.all_have_it()));
    expose(Phase::RowSwap, std::max(0.0, behind - of_panel - next.broadcast.all_have_it()));
  }

  void expose(Phase phase, double seconds) {
    sum_.exposed[phase] += seconds;
    sum_.seconds += seconds;
  }

  const CostModel& costs_;
  const Configuration& configuration_;
  const RunSpec& spec_;
  double visited_, resident_;  // local columns
  Prediction sum_;
};

}  // namespace

Prediction predict_overlapped(const CostModel& costs) {
  return OverlappedModel(costs).predict();
}

}  // namespace hpl
