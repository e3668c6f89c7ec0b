#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cost_model.h"
#include "hpl/base/result/timeline.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/schedule/lu_schedule.h"
#include "rank_clock.h"

namespace hpl {

/// A panel under way, by process row: the times at which its factorization began, at which it could
/// leave the process column that has it, and at which it has left.
struct PanelTimes {
  std::vector<double> begin, ready, sent;
};

/// Of a vector by row, column or rank of the grid.
inline std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// A process column, and those of its ranks that are played.
struct PlayedColumn {
  int column = 0;
  std::vector<int> rows;
  /// Of the products' rate, that all of them reach; empty: each its own.
  std::optional<double> speed = {};
};

/// The ranks of one process column in the simulated model. They have the same tasks, since a
/// schedule depends on columns alone; what each task takes depends on the row.
class ProcessColumn {
 public:
  /// Borrows `costs`. `traced`: the ranks' spans are kept.
  ProcessColumn(const CostModel& costs, const PlayedColumn& played, bool traced);

  /// Goes on until the arrival of panel `step` is needed, which FinishBroadcast waits for. Fills
  /// `begin`: when each rank is ready for it; on the column that owns it, `panel`.
  void run_to_broadcast(std::int64_t step, std::vector<double>& begin, PanelTimes& panel);
  /// The panel has arrived: by row.
  void arrived(std::int64_t step, const std::vector<double>& arrival, const PanelTimes& panel,
               bool own);
  /// To the end of the schedule, when the last panel has arrived.
  void run_to_end();

  double end() const;
  /// By row that is played.
  std::vector<RankClock>& rows() { return rows_; }
  StepGeometry geometry(std::size_t row, std::int64_t step) const {
    return step_geometry(shapes_[row], step);
  }
  /// By row, what its rank did when; empty where nothing is kept.
  std::vector<std::vector<Span>>& spans() { return spans_; }
  int rank(std::size_t row) const;

 private:
  static constexpr std::int64_t kNoStep = -1;

  PipelineKind pipeline() const { return costs_.decided().settings.pipeline; }
  bool serial() const { return pipeline() == PipelineKind::Serial; }
  bool coarse() const { return pipeline() == PipelineKind::Coarse; }
  /// Workers take turns in what they compute: all have the same core.
  bool shares_core() const {
    const Rates& rates = costs_.rates();
    return rates.kind == ProcessorKind::Cpu && rates.threads == 1 && !serial();
  }
  bool is_put_off(const Task& task) const;
  /// True for tasks that keep the one thread of the coarse pipeline until they are over; it
  /// enqueues the rest.
  bool keeps_the_thread(const Task& task) const;

  /// In the order of the list; where there is one thread, some are put off. Stops where the time of
  /// an arrival is missing.
  void run();
  double ready(const Task& task, std::size_t row);
  void done(TaskId id, std::size_t row, double end);
  double& end_of(TaskId id, std::size_t row);
  /// Into the spans, where they are kept.
  void trace(TaskId id, std::size_t row, double begin, double end);
  /// Work beside a product makes it longer, so its end is known when the next one begins.
  void end_last_product(std::size_t row);

  /// False where it has to wait for the arrival of a panel.
  bool carry_out(TaskId id);
  void factorize(TaskId id);
  void start_broadcast(TaskId id);
  bool finish_broadcast(TaskId id);
  void solve(TaskId id);
  void update(TaskId id);
  /// Waits for the products of the step.
  void finish(TaskId id);
  /// An exchange among the ranks of the column: none ends before all are there.
  void exchange(TaskId id, const ExchangeSeconds& seconds);
  /// The latest broadcast and the latest messages of an exchange put off each other's end while
  /// both are under way.
  void share_network(std::size_t row);
  /// The rank waits for its panel, or for the rest of it.
  void receive(std::size_t row, Period when);
  /// A task that each rank does for itself, for `seconds(geometry)`; `fraction` of the products'
  /// rate is left.
  template <class Seconds>
  void on_each_rank(TaskId id, double fraction, Seconds seconds);
  /// A piece of work beside products leaves them `fraction` of their rate.
  void work(TaskId id, std::size_t row, Period when, double fraction);
  /// Seconds of work that takes `seconds` alone, and goes at `fraction` of that rate beside the
  /// products under way when it begins.
  double slowed_by_products(double seconds, std::size_t row, double begin, double fraction) const;

  /// Seconds of products that need so many on average.
  double with_jitter(std::size_t row, double seconds);

  double width(const Task& task) const;

  const CostModel& costs_;
  PlayedColumn played_;
  std::vector<RankClock> rows_;
  std::vector<double> thread_free_;  // by row
  std::vector<CoreCalendar> cores_;  // by row, of all but products
  std::vector<LocalShape> shapes_;
  std::vector<double> speeds_;
  std::vector<Jitter> jitters_;  // by row, of its products
  Schedule schedule_;
  TaskId next_ = 0;
  std::deque<TaskId> put_off_;
  std::size_t due_ = 0;
  std::size_t window_ = 1;
  std::vector<double> ends_;  // of the last tasks, by row
  std::vector<double> entered_, arrival_;
  /// Broadcasts and exchanges of one rank slow each other down. The coarse pipeline has one at a
  /// time.
  bool shares_network_ = false;
  std::vector<Period> broadcasts_, exchanges_;        // by row, the latest
  std::int64_t begun_ = kNoStep, arrived_ = kNoStep;  // the latest broadcast
  bool owns_panel_ = false;                           // of that broadcast
  PanelTimes* panel_ = nullptr;
  std::vector<std::vector<Span>> spans_;   // by row
  std::vector<std::size_t> last_product_;  // by row, in spans_
};

}  // namespace hpl
