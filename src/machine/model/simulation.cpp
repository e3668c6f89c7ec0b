#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <vector>

#include "cost_model.h"
#include "hpl/base/error/error.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/pipeline/executor.h"
#include "panel_arrivals.h"
#include "rank_clock.h"

namespace hpl {

namespace {

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// What is known of a panel under way: by process row, when its factorization began and when it
/// could leave the process column that has it.
struct PanelTimes {
  std::vector<double> begin, ready;
};

/// The ranks of one process column. They have the same tasks, since a schedule depends on columns
/// alone; what each task takes depends on the row.
class ProcessColumn {
 public:
  ProcessColumn(const CostModel& costs, int column)
      : costs_(costs), column_(column), rows_(index(costs.configuration().spec.grid_rows)) {
    const Configuration& configuration = costs.configuration();
    for (int row = 0; row < std::ssize(rows_); ++row) {
      shapes_.push_back(local_shape(configuration.spec, {row, column}));
      speeds_.push_back(costs.speed(rank(row)));
    }
    schedule_ = lu_schedule(configuration.spec, shapes_.front(), configuration.schedule);
    std::int64_t longest = 1;
    for (TaskId id = 0; id < schedule_.size(); ++id)
      for (const TaskId awaited : schedule_[id].after)
        if (awaited != kNoTask) longest = std::max(longest, id - awaited);
    // Tasks that are put off end later than others behind them.
    window_ = std::bit_ceil(index(longest + 16));
    ends_.resize(window_ * rows_.size());
  }

  /// Goes on until the arrival of panel `step` is needed, which FinishBroadcast waits for. Fills
  /// `begin`: when each rank is ready for it; on the column that owns it, `panel`.
  void run_to_broadcast(std::int64_t step, std::vector<double>& begin, PanelTimes& panel) {
    panel_ = &panel;
    run();
    HPL_ASSERT(begun_ == step);
    begin = entered_;
  }
  /// The panel has arrived: by row.
  void arrived(std::int64_t step, const std::vector<double>& arrival, const PanelTimes& panel,
               bool own) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (!own) {
        rows_[row].remember({Phase::PanelFactorization, step, panel.begin[row], panel.ready[row]});
        rows_[row].beside_product({Phase::PanelBroadcast, step, panel.ready[row], arrival[row]},
                                  costs_.rates().shared.product_beside_messages);
      }
      rows_[row].add_busy(Phase::PanelBroadcast,
                          std::max(0.0, arrival[row] - std::max(panel.ready[row], entered_[row])));
    }
    arrival_ = arrival;
    arrived_ = step;
  }
  /// To the end of the schedule, when the last panel has arrived.
  void run_to_end() {
    run();
    HPL_ASSERT(next_ == schedule_.size() && put_off_.empty());
  }
  double end() const {
    double latest = 0;
    for (const RankClock& clock : rows_)
      for (int worker = 0; worker < kWorkerCount; ++worker)
        latest = std::max(latest, clock.free_at(static_cast<Worker>(worker)));
    return latest;
  }
  std::vector<RankClock>& rows() { return rows_; }
  int rank(int row) const {
    const RunSpec& spec = costs_.configuration().spec;
    return spec.rank_order == RankOrder::RowMajor ? row * spec.grid_columns + column_
                                                  : column_ * spec.grid_rows + row;
  }

 private:
  static constexpr std::int64_t kNoStep = -1;

  PipelineKind pipeline() const { return costs_.configuration().pipeline; }
  bool serial() const { return pipeline() == PipelineKind::Serial; }
  bool coarse() const { return pipeline() == PipelineKind::Coarse; }
  /// Workers take turns in what they compute: all have the same cores.
  bool shares_cores() const { return costs_.rates().kind == ProcessorKind::Cpu && !serial(); }
  bool is_put_off(const Task& task) const {
    return serial() ? traits(task.kind).can_wait : coarse() && is_put_off_while_enqueuing(task);
  }
  /// What keeps the one thread of the coarse pipeline until it is over; it enqueues the rest.
  bool keeps_the_thread(const Task& task) const {
    const bool moves_rows = task.kind == TaskKind::Swap || task.kind == TaskKind::AllGather;
    return task.worker == Worker::Panel || task.kind == TaskKind::Prepare ||
           (moves_rows && rows_.size() > 1);
  }
  double& end_of(TaskId id, std::size_t row) {
    return ends_[(index(id) & (window_ - 1)) * rows_.size() + row];
  }

  /// In the order of the list; where there is one thread, some are put off. Stops where the time of
  /// an arrival is missing.
  void run() {
    while (true) {
      while (due_ > 0) {
        if (!carry_out(put_off_.front())) return;
        put_off_.pop_front();
        --due_;
      }
      if (next_ == schedule_.size()) {
        if (put_off_.empty()) return;
        due_ = put_off_.size();
        continue;
      }
      const Task& task = schedule_[next_];
      if (is_put_off(task)) {
        put_off_.push_back(next_++);
        continue;
      }
      due_ = schedule_.due_before(task, put_off_);
      if (due_ > 0) continue;
      if (!carry_out(next_)) return;
      ++next_;
    }
  }
  double ready(const Task& task, std::size_t row) {
    double latest = rows_[row].free_at(task.worker);
    if (coarse()) latest = std::max(latest, thread_free_[row]);
    for (const TaskId awaited : task.after)
      if (awaited != kNoTask) latest = std::max(latest, end_of(awaited, row));
    return latest;
  }
  void done(TaskId id, std::size_t row, double end) {
    if (serial())
      rows_[row].set_all(end);
    else
      rows_[row].set(schedule_[id].worker, end);
    if (keeps_the_thread(schedule_[id])) thread_free_[row] = std::max(thread_free_[row], end);
    end_of(id, row) = end;
  }

  /// False where it has to wait for the arrival of a panel.
  bool carry_out(TaskId id) {
    const Task& task = schedule_[id];
    switch (task.kind) {
      case TaskKind::Fetch:
        // Copies through the device's memory, as those of rows are.
        each(id, costs_.rates().shared.product_beside_swap, [&](const StepGeometry& g) {
          return costs_.fetch(static_cast<double>(g.top_rows + g.below_rows), w(g));
        });
        return true;
      case TaskKind::Factorize:
        factorize(id);
        return true;
      case TaskKind::StartBroadcast:
        start_broadcast(id);
        return true;
      case TaskKind::FinishBroadcast:
        return finish_broadcast(id);
      case TaskKind::Prepare:
        // Copies through the device's memory, as those of rows are.
        each(id, costs_.rates().shared.product_beside_swap, [&](const StepGeometry& g) {
          return costs_.prepare(static_cast<double>(g.below_rows), w(g));
        });
        return true;
      case TaskKind::Swap:
        together(id, costs_.swap(width(task), columns(task)));
        return true;
      case TaskKind::Solve:
        solve(id);
        return true;
      case TaskKind::AllGather:
        together(id, costs_.all_gather(width(task), columns(task)));
        return true;
      case TaskKind::Update:
        update(id);
        return true;
      case TaskKind::Load:
      case TaskKind::Store:
        each(id, 1, [&](const StepGeometry&) {
          const auto rows = static_cast<double>(task.in_slot_at_start ? 0 : task.rows.count);
          return task.kind == TaskKind::Load ? costs_.load(rows, columns(task))
                                             : costs_.store(rows, columns(task));
        });
        return true;
      case TaskKind::StoreDiagonal:
        each(id, 1, [&](const StepGeometry& g) { return costs_.store(w(g), w(g)); });
        return true;
      case TaskKind::LoadU:  // beside the rest of the run, which does not wait for it
        each(id, 1, [](const StepGeometry&) { return 0.0; });
        return true;
      case TaskKind::StorePanel:
      case TaskKind::HostUpdate:
        HPL_ASSERT(!"the model knows of no host that takes part");
        return true;
      case TaskKind::Finish:
        for (std::size_t row = 0; row < rows_.size(); ++row) {
          const TaskId awaited = task.after[static_cast<std::size_t>(Worker::Update)];
          if (awaited != kNoTask)
            thread_free_[row] = std::max(thread_free_[row], end_of(awaited, row));
          end_of(id, row) = rows_[row].free_at(Worker::Update);
        }
        return true;
    }
    return true;
  }

  static double w(const StepGeometry& g) { return static_cast<double>(g.width); }
  double width(const Task& task) const { return w(step_geometry(shapes_.front(), task.step)); }
  static double columns(const Task& task) { return static_cast<double>(task.columns.count); }

  /// A piece of work beside products: `kept` of their rate is left to them.
  void beside(TaskId id, std::size_t row, double begin, double end, double kept) {
    if (shares_cores()) {
      const double waits = std::max(0.0, cores_free_[row] - begin);
      begin += waits;
      end += waits;
      cores_free_[row] = end;
    }
    const Phase phase = traits(schedule_[id].kind).phase;
    const std::int64_t step = schedule_[id].step;
    rows_[row].add_busy(phase, end - begin);
    if (serial())
      rows_[row].remember({phase, step, begin, end});
    else
      rows_[row].beside_product({phase, step, begin, end}, kept);
    done(id, row, end);
  }
  template <class Seconds>
  void each(TaskId id, double kept, Seconds seconds) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const StepGeometry g = step_geometry(shapes_[row], schedule_[id].step);
      const double begin = ready(schedule_[id], row);
      beside(id, row, begin, begin + seconds(g) + costs_.task(), kept);
    }
  }
  /// An exchange among the ranks of the column: none ends before all are there.
  void together(TaskId id, double seconds) {
    const Task& task = schedule_[id];
    double begin = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      begin = std::max(begin, ready(task, row));
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double takes =
          beside_products(seconds, row, begin, costs_.rates().shared.swap_beside_product);
      beside(id, row, begin, begin + takes + costs_.task(),
             costs_.kept_beside_exchange(width(task), columns(task)));
    }
  }
  void solve(TaskId id) {
    const Task& task = schedule_[id];
    const SharedRates& shared = costs_.rates().shared;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double begin = ready(task, row);
      const double takes = beside_products(costs_.solve(width(task), columns(task)), row, begin,
                                           shared.solve_beside_product);
      beside(id, row, begin, begin + takes + costs_.task(), shared.product_beside_solve);
    }
  }
  /// What takes `seconds` alone, and is done at `kept` of that rate beside the products under way.
  double beside_products(double seconds, std::size_t row, double begin, double kept) const {
    return serial() ? seconds
                    : stretched(seconds, rows_[row].free_at(Worker::Update) - begin, kept);
  }

  void factorize(TaskId id) {
    const Task& task = schedule_[id];
    const auto columns_beside = static_cast<double>(task.beside);
    double begin = 0, rows = 0, products = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const StepGeometry g = step_geometry(shapes_[row], task.step);
      begin = std::max(begin, ready(task, row));
      rows = std::max(rows, static_cast<double>(g.top_rows + g.below_rows));
      if (task.beside > 0 && !serial())
        products = std::max(
            products, costs_.products_beside_panel(static_cast<double>(g.top_rows + g.below_rows),
                                                   columns_beside, w(g), speeds_[row]));
    }
    const PanelShares kept = costs_.beside_panel(rows, width(task), columns_beside);
    const double seconds = costs_.factorize(rows, width(task), columns_beside);
    const double end = begin + costs_.task() + stretched(seconds, products, kept.panel);
    panel_->begin.assign(rows_.size(), begin);
    for (std::size_t row = 0; row < rows_.size(); ++row)
      beside(id, row, begin, end, kept.product);
  }

  void start_broadcast(TaskId id) {
    entered_.resize(rows_.size());
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      entered_[row] = ready(schedule_[id], row);
      done(id, row, entered_[row]);
    }
    if (step_geometry(shapes_.front(), schedule_[id].step).on_owner_column)
      panel_->ready = entered_;
    begun_ = schedule_[id].step;
  }
  bool finish_broadcast(TaskId id) {
    if (schedule_[id].step > arrived_) return false;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      done(id, row, std::max(ready(schedule_[id], row), arrival_[row]));
    return true;
  }

  void update(TaskId id) {
    const Task& task = schedule_[id];
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const StepGeometry g = step_geometry(shapes_[row], task.step);
      const double seconds =
          costs_.update(static_cast<double>(g.below_stored), columns(task), w(g)) / speeds_[row] +
          costs_.task();
      done(id, row, rows_[row].multiply(task.step, ready(task, row), seconds));
    }
  }

  const CostModel& costs_;
  int column_;
  std::vector<RankClock> rows_;
  std::vector<double> thread_free_ = std::vector<double>(rows_.size());  // by row
  std::vector<double> cores_free_ = std::vector<double>(rows_.size());   // of all but products
  std::vector<LocalShape> shapes_;
  std::vector<double> speeds_;
  Schedule schedule_;
  TaskId next_ = 0;
  std::deque<TaskId> put_off_;
  std::size_t due_ = 0;
  std::size_t window_ = 1;
  std::vector<double> ends_;  // of the last tasks, by row
  std::vector<double> entered_, arrival_;
  std::int64_t begun_ = kNoStep, arrived_ = kNoStep;  // the latest broadcast
  PanelTimes* panel_ = nullptr;
};

}  // namespace

// Every process column plays its schedule until it needs the next panel. When all have, the panel
// travels along each process row, and they go on. No column can need a later panel before: each
// begins every broadcast, and does so in the order of steps.
Prediction predict_by_simulation(const CostModel& costs) {
  const Configuration& configuration = costs.configuration();
  const RunSpec& spec = configuration.spec;
  std::vector<ProcessColumn> columns;
  columns.reserve(index(spec.grid_columns));
  for (int column = 0; column < spec.grid_columns; ++column)
    columns.emplace_back(costs, column);
  const LocalShape first = local_shape(spec, {0, 0});
  const std::int64_t steps = steps_to_make(first, configuration.schedule);
  std::vector<std::vector<double>> begin(columns.size());
  std::vector<std::vector<double>> arrival(columns.size(),
                                           std::vector<double>(index(spec.grid_rows)));
  const PanelArrivals arrivals(costs);
  std::vector<double> along(columns.size()), times(columns.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    PanelTimes panel;
    for (std::size_t column = 0; column < columns.size(); ++column)
      columns[column].run_to_broadcast(step, begin[column], panel);
    const int root = step_geometry(first, step).owner_column;
    for (int row = 0; row < spec.grid_rows; ++row) {
      const StepGeometry g = step_geometry(local_shape(spec, {row, root}), step);
      for (std::size_t column = 0; column < columns.size(); ++column)
        along[column] = begin[column][index(row)];
      arrivals.of(
          root, costs.panel_bytes(static_cast<double>(g.below_rows), static_cast<double>(g.width)),
          along, times);
      for (std::size_t column = 0; column < columns.size(); ++column)
        arrival[column][index(row)] = times[column];
    }
    for (std::size_t column = 0; column < columns.size(); ++column)
      columns[column].arrived(step, arrival[column], panel, static_cast<int>(column) == root);
  }
  Prediction prediction;
  double end = 0;
  for (ProcessColumn& column : columns) {
    column.run_to_end();
    end = std::max(end, column.end());
  }
  const double ranks = static_cast<double>(spec.grid_rows) * spec.grid_columns;
  prediction.rank_busy.resize(index(spec.grid_rows) * columns.size());
  for (ProcessColumn& column : columns)
    for (int row = 0; row < spec.grid_rows; ++row) {
      RankClock& clock = column.rows()[index(row)];
      clock.finish(end);
      prediction.rank_busy[index(column.rank(row))] = clock.busy();
      for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
        prediction.busy.seconds[phase] += clock.busy().seconds[phase] / ranks;
        prediction.exposed.seconds[phase] += clock.exposed().seconds[phase] / ranks;
      }
      prediction.waiting_seconds += clock.waiting() / ranks;
    }
  const double substitution = steps == step_count(first) ? costs.back_substitution() : 0;
  prediction.busy[Phase::BackSubstitution] = substitution;
  for (PhaseTimes& busy : prediction.rank_busy)
    busy[Phase::BackSubstitution] = substitution;
  prediction.exposed[Phase::BackSubstitution] = substitution;
  prediction.exposed[Phase::Multiply] = prediction.busy[Phase::Multiply];
  prediction.seconds = end + substitution;
  return prediction;
}

}  // namespace hpl
