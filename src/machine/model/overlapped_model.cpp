#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cost_model.h"
#include "panel_arrivals.h"

namespace hpl {

namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

/// What the one of `parts` has that has most of `size`, in whole blocks.
double most_of(double size, double block, int parts) {
  return std::min(size, std::ceil(std::ceil(size / block) / parts) * block);
}

/// What some columns take in one step, alone.
struct ColumnTimes {
  double chunks = 1;
  double swap = 0, solve = 0;   ///< all chunks; swap with the all-gather
  double update = 0;            ///< all chunks
  double copies = 0;            ///< of columns in host memory: the slower way
  double kept_beside_swap = 1;  ///< of the products' rate
};

/// One step, of the processes of a row.
struct StepTimes {
  double beside = 0;           ///< columns that the owner of the panel updates while it is made
  double products_beside = 0;  ///< how long
  double panel = 0;            ///< fetched and factorized
  PanelShares kept;            ///< beside products, of the rates of panel and products
  double panel_bytes = 0;
  double prepare = 0;
  ColumnTimes ahead;  ///< the block column that is next
  /// The others, on processes that have so many whole blocks of the tail, and on those that have
  /// one less.
  double tail_blocks = 0, most_blocks = 0;
  ColumnTimes most, fewer;
};

/// When a process of the row is through with what it has, as far as later work waits for it.
struct ProcessClock {
  double products = 0;     ///< all of them
  double busy_from = 0;    ///< since when there is no pause between them
  double first_chunk = 0;  ///< those of the first chunk: its rows may be exchanged again
  double exchange = 0;     ///< rows exchanged and solved
  double received = 0;     ///< the panel before
  double freed = 0;        ///< the workspace of the panel before that
};

/// What products wait for: when each of these began or was there.
struct Awaited {
  double arrived = 0, prepared = 0, solve = 0;
};

/// The processes of one row, step by step. Each stands for its process column, where all have as
/// many rows as the one that has most: in every exchange they wait for each other.
class OverlappedModel {
 public:
  explicit OverlappedModel(const CostModel& costs)
      : costs_(costs),
        configuration_(costs.configuration()),
        spec_(configuration_.spec),
        shared_(costs.rates().shared),
        ahead_(configuration_.schedule.look_ahead > 0),
        serial_(configuration_.pipeline == PipelineKind::Serial),
        // One thread that waits for messages enqueues no products meanwhile.
        waits_for_rows_(serial_ || (configuration_.pipeline == PipelineKind::Coarse &&
                                    configuration_.spec.grid_rows > 1)),
        arrivals_(costs),
        clocks_(index(spec_.grid_columns)),
        begin_(clocks_.size()),
        arrival_(clocks_.size()) {
    const LocalShape shape = largest_local_shape(spec_);
    visited_ = static_cast<double>(visited_part(shape, configuration_.schedule.visits).columns);
    resident_ = static_cast<double>(shape.stored_columns) - visited_;
  }

  Prediction predict() {
    const std::int64_t all = (spec_.order + spec_.block_size - 1) / spec_.block_size;
    const auto limit = configuration_.schedule.step_limit;
    const std::int64_t steps = limit > 0 ? std::min(limit, all) : all;
    StepTimes step = times(0);
    for (std::int64_t k = 0; k < steps; ++k) {
      const bool last = k + 1 == steps;
      const StepTimes next = last ? StepTimes{} : times(k + 1);
      make_panel(k, step);
      send_panel(k, step);
      for (int column = 0; column < spec_.grid_columns; ++column)
        pass(column, static_cast<int>((k + 1) % spec_.grid_columns), step, last ? nullptr : &next);
      step = next;
    }
    double end = 0;
    for (const ProcessClock& clock : clocks_)
      end = std::max(end, clock.products);
    for (const ProcessClock& clock : clocks_)
      sum_.waiting_seconds += end - clock.products;
    const double columns = spec_.grid_columns;
    for (double& seconds : sum_.busy.seconds)
      seconds /= columns;
    for (double& seconds : sum_.exposed.seconds)
      seconds /= columns;
    sum_.waiting_seconds /= columns;
    const double substitution = steps == all ? costs_.back_substitution() : 0;
    sum_.busy[Phase::BackSubstitution] = sum_.exposed[Phase::BackSubstitution] = substitution;
    sum_.exposed[Phase::Multiply] = sum_.busy[Phase::Multiply];
    sum_.seconds = end + substitution;
    return sum_;
  }

 private:
  StepTimes times(std::int64_t k) const {
    const auto block = static_cast<double>(spec_.block_size);
    const double left = std::max(
        0.0, static_cast<double>(spec_.order) - static_cast<double>(k) * block);  // of rows
    const double width = std::min(block, left), tail = left - width;
    const double panel_rows = most_of(left, block, spec_.grid_rows);
    const double below = most_of(tail, block, spec_.grid_rows);
    StepTimes t;
    // Made while the tail is updated with the panel before.
    if (ahead_ && k > 0) {
      t.beside = std::max(0.0, most_of(left, block, spec_.grid_columns) - width);
      t.products_beside =
          costs_.products_beside_panel(panel_rows, t.beside, width, costs_.slowest());
    }
    t.panel = costs_.fetch(panel_rows, width) + costs_.factorize(panel_rows, width, t.beside) +
              2 * costs_.task();
    t.kept = costs_.beside_panel(panel_rows, width, t.beside);
    t.panel_bytes = costs_.panel_bytes(below, width);
    t.prepare = costs_.prepare(below, width) + costs_.task();
    t.ahead = columns_times(below, std::min(width, tail), width);
    t.ahead.copies = 0;
    t.tail_blocks = std::ceil(tail / block);
    t.most_blocks = std::ceil(t.tail_blocks / spec_.grid_columns);
    const double most = std::min(tail, t.most_blocks * block);
    t.most = columns_times(below, most, width);
    t.fewer = columns_times(below, most - block, width);
    return t;
  }

  ColumnTimes columns_times(double below, double columns, double width) const {
    ColumnTimes t;
    if (columns <= 0) return t;
    const auto block = static_cast<double>(spec_.block_size);
    const auto chunk = static_cast<double>(chunk_width(
        configuration_.schedule, static_cast<std::int64_t>(std::ceil(columns)), spec_.block_size));
    t.chunks = std::max(1.0, std::ceil(columns / std::max(block, chunk)));
    const double piece = columns / t.chunks;
    t.swap = t.chunks *
             (costs_.swap(width, piece) + costs_.all_gather(width, piece) + 2 * costs_.task());
    t.kept_beside_swap = costs_.kept_beside_exchange(width, piece);
    t.solve = t.chunks * (costs_.solve(width, piece) + costs_.task());
    t.update = t.chunks * (costs_.update(below, piece, width) / costs_.slowest() + costs_.task());
    if (visited_ > 0) {
      // The columns from the left live in host memory, and are moved once in so many steps.
      const double left = std::max(0.0, columns - resident_);
      t.copies = std::max(costs_.load(below, left), costs_.store(below, left)) /
                 configuration_.schedule.visits.steps;
    }
    return t;
  }

  double panel_seconds(const StepTimes& step) const {
    return serial_ ? step.panel : stretched(step.panel, step.products_beside, step.kept.panel);
  }
  void make_panel(std::int64_t k, const StepTimes& step) {
    panel_begin_ = columns_ready_;
    panel_ready_ = columns_ready_ + panel_seconds(step);
    clocks_[index(static_cast<int>(k % spec_.grid_columns))].received = panel_ready_;
    busy(Phase::PanelFactorization, panel_ready_ - panel_begin_);
  }

  void send_panel(std::int64_t k, const StepTimes& step) {
    for (std::size_t column = 0; column < clocks_.size(); ++column)
      begin_[column] = std::max(clocks_[column].received, clocks_[column].freed);
    arrivals_.of(static_cast<int>(k % spec_.grid_columns), step.panel_bytes, begin_, arrival_);
    for (std::size_t column = 0; column < clocks_.size(); ++column)
      busy(Phase::PanelBroadcast,
           std::max(0.0, arrival_[column] - std::max(panel_ready_, begin_[column])));
  }

  /// What a process does with a panel. `owner`: of the next one, null after the last.
  void pass(int column, int owner, const StepTimes& step, const StepTimes* next) {
    ProcessClock& clock = clocks_[index(column)];
    const bool makes_next = column == owner && next != nullptr;
    awaited_.arrived = arrival_[index(column)];
    clock.freed = clock.products;
    clock.received = awaited_.arrived;
    take_from_products(clock, std::max(panel_ready_, begin_[index(column)]), awaited_.arrived,
                       shared_.product_beside_messages);
    if (serial_) awaited_.arrived = std::max(awaited_.arrived, clock.products);
    awaited_.prepared = awaited_.arrived + step.prepare;
    take_from_products(clock, awaited_.arrived, awaited_.prepared, shared_.product_beside_swap);
    busy(Phase::PanelTransfer, step.prepare);
    if (makes_next && ahead_) {
      clock.exchange = exchange(clock, step.ahead, 1);
      multiply(clock, clock.exchange, step.ahead.update);
      columns_ready_ = clock.products;
      if (serial_) {
        expose(Phase::PanelFactorization, next->panel);
        clock.products += next->panel;
      }
    }
    // The first of the tail's blocks is the next owner's.
    const int behind = (column - owner + spec_.grid_columns) % spec_.grid_columns;
    const double blocks = std::ceil((step.tail_blocks - behind) / spec_.grid_columns) -
                          (makes_next && ahead_ ? 1 : 0);
    const ColumnTimes& tail = blocks >= step.most_blocks ? step.most : step.fewer;
    if (tail.update > 0) pass_tail(clock, tail, makes_next ? next : nullptr);
    // The one thread that waits for the exchange of the other rows makes the panel after it.
    if (makes_next && ahead_ && waits_for_rows_ && !serial_)
      columns_ready_ = std::max(columns_ready_, clock.exchange);
    if (next == nullptr) multiply(clock, awaited_.prepared, 0);
    // The next panel's columns are in the first chunk.
    if (makes_next && !ahead_) columns_ready_ = serial_ ? clock.products : clock.first_chunk;
  }

  /// `panel`: that is made beside it.
  void pass_tail(ProcessClock& clock, const ColumnTimes& tail, const StepTimes* panel) {
    const double first = waits_for_rows_ ? 1 : 1 / tail.chunks;
    const double rows = exchange(clock, tail, first);
    // Of the other chunks rows are exchanged beside products.
    const double swap = stretched((1 - first) * tail.swap, tail.update, kept_by_swap());
    const double solve = stretched((1 - first) * tail.solve, tail.update, kept_by_solve());
    busy(Phase::RowSwap, swap);
    busy(Phase::Solve, solve);
    double update = tail.update;
    if (!serial_)
      update += (1 - tail.kept_beside_swap) * std::min(swap, tail.update) +
                (1 - shared_.product_beside_solve) * std::min(solve, tail.update);
    double lost_to_panel = 0;
    if (panel != nullptr && !serial_) {
      const double kept = std::max(0.05, panel->kept.product);
      // Without look-ahead the chunk that holds it is updated before.
      const double beside = ahead_ ? update : update * (1 - 1 / tail.chunks);
      lost_to_panel = (1 - kept) * std::min(panel_seconds(*panel), beside / kept);
    }
    const double piece = (update + (ahead_ ? lost_to_panel : 0)) / tail.chunks;
    update += lost_to_panel;
    double all_rows = rows + swap + solve;
    // Those of the last one not before its products of the step before are made.
    if (first < 1)
      all_rows = std::max(all_rows, clock.products + (tail.swap + tail.solve) / tail.chunks);
    multiply(clock, rows, update);
    clock.first_chunk = clock.products - update + piece;
    clock.exchange = all_rows;
    pause(clock, Phase::RowSwap, all_rows + piece - clock.products);
    // Copies run beside products; where they take longer they are what a step takes.
    busy(Phase::MatrixLoad, tail.copies);
    pause(clock, Phase::MatrixLoad, tail.copies - update);
  }

  double kept_by_swap() const { return serial_ ? 1 : shared_.swap_beside_product; }
  double kept_by_solve() const { return serial_ ? 1 : shared_.solve_beside_product; }

  /// Exchanges and solves a part of the rows. Returns when that is done.
  double exchange(ProcessClock& clock, const ColumnTimes& t, double part) {
    double begin = std::max({awaited_.prepared, clock.exchange, clock.first_chunk});
    if (waits_for_rows_) begin = std::max(begin, clock.products);
    const double swap = stretched(part * t.swap, clock.products - begin, kept_by_swap());
    awaited_.solve = begin + swap;
    const double solve =
        stretched(part * t.solve, clock.products - awaited_.solve, kept_by_solve());
    const double end = awaited_.solve + solve;
    take_from_products(clock, begin, awaited_.solve, t.kept_beside_swap);
    take_from_products(clock, awaited_.solve, end, shared_.product_beside_solve);
    busy(Phase::RowSwap, swap);
    busy(Phase::Solve, solve);
    return end;
  }

  /// Products that may begin when `ready`.
  void multiply(ProcessClock& clock, double ready, double seconds) {
    if (ready > clock.products) {
      expose_wait(clock.products, ready);
      clock.products = clock.busy_from = ready;
    }
    clock.products += seconds;
    busy(Phase::Multiply, seconds);
  }
  /// Something beside products leaves them `kept` of their rate.
  void take_from_products(ProcessClock& clock, double begin, double end, double kept) {
    const double overlap = std::min(end, clock.products) - std::max(begin, clock.busy_from);
    if (serial_ || overlap <= 0) return;
    clock.products += (1 - kept) * overlap;
    busy(Phase::Multiply, (1 - kept) * overlap);
  }
  void pause(ProcessClock& clock, Phase phase, double seconds) {
    if (seconds <= 0) return;
    expose(phase, seconds);
    clock.products += seconds;
  }
  /// No product is made meanwhile: by what goes on instead, the latest first.
  void expose_wait(double from, double to) {
    const auto since = [&](Phase phase, double begin) {
      begin = std::clamp(begin, from, to);
      expose(phase, to - begin);
      to = begin;
    };
    since(Phase::Solve, awaited_.solve);
    since(Phase::RowSwap, awaited_.prepared);
    since(Phase::PanelTransfer, awaited_.arrived);
    since(Phase::PanelBroadcast, panel_ready_);
    since(Phase::PanelFactorization, panel_begin_);
    sum_.waiting_seconds += to - from;
  }
  void expose(Phase phase, double seconds) { sum_.exposed[phase] += seconds; }
  void busy(Phase phase, double seconds) { sum_.busy[phase] += seconds; }

  const CostModel& costs_;
  const Configuration& configuration_;
  const RunSpec& spec_;
  const SharedRates& shared_;
  bool ahead_, serial_, waits_for_rows_;
  double visited_, resident_;  // local columns
  PanelArrivals arrivals_;
  std::vector<ProcessClock> clocks_;  // by process column
  std::vector<double> begin_, arrival_;
  double columns_ready_ = 0;                  // those of the next panel, for it to be made
  double panel_begin_ = 0, panel_ready_ = 0;  // on its owner
  Awaited awaited_;                           // by the process that is being passed
  Prediction sum_;                            // over the process columns
};

}  // namespace

Prediction predict_overlapped(const CostModel& costs) {
  return OverlappedModel(costs).predict();
}

}  // namespace hpl
