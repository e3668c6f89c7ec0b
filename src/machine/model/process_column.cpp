#include "process_column.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "hpl/base/error/error.h"
#include "hpl/lu/pipeline/executor.h"

namespace hpl {

namespace {

constexpr std::size_t kNoProduct = std::numeric_limits<std::size_t>::max();
/// At most so many tasks of a worker may end before an earlier one that was put off.
constexpr std::int64_t kMostPutOff = 16;
/// The largest standard deviation of a product, as a fraction of its time: more could not be taken
/// away as well as added.
constexpr double kMostDeviation = 0.25;

double w(const StepGeometry& g) {
  return static_cast<double>(g.width);
}
double panel_rows(const StepGeometry& g) {
  return static_cast<double>(g.top_rows + g.below_rows);
}
double columns(const Task& task) {
  return static_cast<double>(task.columns.count);
}

/// The number of tasks that a schedule looks back for the inputs of a task.
std::int64_t reach(const Schedule& schedule) {
  std::int64_t longest = 1;
  for (TaskId id = 0; id < schedule.size(); ++id)
    for (const TaskId awaited : schedule[id].after)
      if (awaited != kNoTask) longest = std::max(longest, id - awaited);
  return longest;
}

}  // namespace

ProcessColumn::ProcessColumn(const CostModel& costs, const PlayedColumn& played, bool traced)
    : costs_(costs), played_(played), rows_(played.rows.size()) {
  const DecidedRun& decided = costs.decided();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    shapes_.push_back(local_shape(decided.spec, {played.rows[row], played.column}));
    speeds_.push_back(played.speed.value_or(costs.speed(rank(row))));
    jitters_.emplace_back(rank(row));
  }
  const SharedRates& shared = costs.rates().shared;
  shares_network_ =
      !coarse() && decided.spec.grid_rows > 1 && decided.spec.grid_columns > 1 &&
      std::min(shared.broadcast_beside_exchange, shared.exchange_beside_broadcast) < 1;
  broadcasts_.resize(rows_.size());
  exchanges_.resize(rows_.size());
  thread_free_.resize(rows_.size());
  cores_.resize(rows_.size());
  SchedulePolicy policy = decided.settings.stages.schedule;
  policy.fetcher_updates =
      fetcher_updates(decided.spec, policy, decided.settings.stages.device_panel);
  schedule_ = lu_schedule(decided.spec, shapes_.front(), policy);
  window_ = std::bit_ceil(index(reach(schedule_) + kMostPutOff));
  ends_.resize(window_ * rows_.size());
  if (!traced) return;
  spans_.resize(rows_.size());
  last_product_.resize(rows_.size(), kNoProduct);
}

void ProcessColumn::run_to_broadcast(std::int64_t step, std::vector<double>& begin,
                                     PanelTimes& panel) {
  panel_ = &panel;
  run();
  HPL_ASSERT(begun_ == step);
  begin = entered_;
}

void ProcessColumn::arrived(std::int64_t step, const std::vector<double>& arrival,
                            const PanelTimes& panel, bool own) {
  arrival_ = arrival;
  arrived_ = step;
  owns_panel_ = own;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double begin = std::max(panel.ready[row], entered_[row]);
    broadcasts_[row] = {begin, own ? panel.sent[row] : arrival[row]};
    if (shares_network_) {
      const double before = exchanges_[row].end;
      share_network(row);
      rows_[row].set(Worker::Swap, rows_[row].free_at(Worker::Swap) + exchanges_[row].end - before);
    }
    if (own) continue;
    rows_[row].remember({Phase::PanelFactorization, step, panel.begin[row], panel.ready[row]});
    receive(row, broadcasts_[row]);
  }
}

void ProcessColumn::receive(std::size_t row, Period when) {
  rows_[row].interfere({Phase::PanelBroadcast, arrived_, when.begin, when.end},
                       costs_.rates().shared.product_beside_messages);
  rows_[row].add_busy(Phase::PanelBroadcast, std::max(0.0, when.seconds()));
  arrival_[row] = when.end;
}

void ProcessColumn::share_network(std::size_t row) {
  const SharedRates& shared = costs_.rates().shared;
  Period &broadcast = broadcasts_[row], &exchange = exchanges_[row];
  const double both = std::max(broadcast.begin, exchange.begin);
  const double sending = broadcast.end - both, exchanging = exchange.end - both;
  if (sending <= 0 || exchanging <= 0) return;
  const double of_sending = shared.broadcast_beside_exchange;
  const double of_exchanging = shared.exchange_beside_broadcast;
  broadcast.end = both + slowed_down(sending, exchanging / of_exchanging, of_sending);
  exchange.end = both + slowed_down(exchanging, sending / of_sending, of_exchanging);
}

void ProcessColumn::run_to_end() {
  run();
  HPL_ASSERT(next_ == schedule_.size() && put_off_.empty());
  for (std::size_t row = 0; row < rows_.size(); ++row)
    end_last_product(row);
}

double ProcessColumn::end() const {
  double latest = 0;
  for (const RankClock& clock : rows_)
    for (int worker = 0; worker < kWorkerCount; ++worker)
      latest = std::max(latest, clock.free_at(static_cast<Worker>(worker)));
  return latest;
}

int ProcessColumn::rank(std::size_t row) const {
  const RunSpec& spec = costs_.decided().spec;
  return rank_at({played_.rows[row], played_.column}, spec.grid_rows, spec.grid_columns,
                 spec.rank_order);
}

bool ProcessColumn::is_put_off(const Task& task) const {
  if (serial() || shares_network_) return traits(task.kind).can_wait;
  return coarse() && is_put_off_while_enqueuing(task);
}

bool ProcessColumn::keeps_the_thread(const Task& task) const {
  const bool moves_rows = task.kind == TaskKind::Swap || task.kind == TaskKind::AllGather;
  return task.worker == Worker::Panel || task.kind == TaskKind::Prepare ||
         (moves_rows && costs_.decided().spec.grid_rows > 1);
}

void ProcessColumn::run() {
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
      // An exchange puts off the arrival of the panel beside it, and so needs to know it.
      if (shares_network_ && task.kind == TaskKind::FinishBroadcast && task.step > arrived_) return;
      put_off_.push_back(next_++);
      continue;
    }
    due_ = schedule_.due_before(task, put_off_);
    if (due_ > 0) continue;
    if (!carry_out(next_)) return;
    ++next_;
  }
}

double ProcessColumn::ready(const Task& task, std::size_t row) {
  double latest = rows_[row].free_at(task.worker);
  if (coarse()) latest = std::max(latest, thread_free_[row]);
  for (const TaskId awaited : task.after)
    if (awaited != kNoTask) latest = std::max(latest, end_of(awaited, row));
  return latest;
}

void ProcessColumn::done(TaskId id, std::size_t row, double end) {
  if (serial())
    rows_[row].set_all(schedule_[id].step, end);
  else
    rows_[row].set(schedule_[id].worker, end);
  if (keeps_the_thread(schedule_[id])) thread_free_[row] = std::max(thread_free_[row], end);
  end_of(id, row) = end;
}

double& ProcessColumn::end_of(TaskId id, std::size_t row) {
  return ends_[(index(id) & (window_ - 1)) * rows_.size() + row];
}

void ProcessColumn::trace(TaskId id, std::size_t row, double begin, double end) {
  if (spans_.empty()) return;
  const Task& task = schedule_[id];
  spans_[row].push_back({.track = track_of(task.kind, task.worker),
                         .phase = traits(task.kind).phase,
                         .step = task.step,
                         .chunk = task.chunk,
                         .begin = begin,
                         .end = end});
}

void ProcessColumn::end_last_product(std::size_t row) {
  if (spans_.empty() || serial() || last_product_[row] == kNoProduct) return;
  Span& product = spans_[row][last_product_[row]];
  product.end = std::max(product.end, rows_[row].free_at(Worker::Update));
}

bool ProcessColumn::carry_out(TaskId id) {
  const Task& task = schedule_[id];
  switch (task.kind) {
    case TaskKind::Fetch:
      // Copies through the device's memory, as those of rows are.
      on_each_rank(id, costs_.rates().shared.product_beside_swap,
                   [&](const StepGeometry& g) { return costs_.fetch(panel_rows(g), w(g)); });
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
      on_each_rank(id, costs_.rates().shared.product_beside_swap, [&](const StepGeometry& g) {
        return costs_.prepare(static_cast<double>(g.on_owner_column ? g.below_rows : 0), w(g));
      });
      return true;
    case TaskKind::Swap:
      exchange(id, costs_.swap(width(task), columns(task)));
      return true;
    case TaskKind::Solve:
      solve(id);
      return true;
    case TaskKind::AllGather:
      exchange(id, costs_.all_gather(width(task), columns(task)));
      return true;
    case TaskKind::Update:
      update(id);
      return true;
    case TaskKind::Load:
    case TaskKind::Store:
      on_each_rank(id, 1, [&](const StepGeometry&) {
        const auto rows = static_cast<double>(task.in_slot_at_start ? 0 : task.rows.count);
        return task.kind == TaskKind::Load ? costs_.load(rows, columns(task))
                                           : costs_.store(rows, columns(task));
      });
      return true;
    case TaskKind::StoreDiagonal:
      on_each_rank(id, 1, [&](const StepGeometry& g) { return costs_.store(w(g), w(g)); });
      return true;
    case TaskKind::LoadU:  // beside the rest of the run, which does not wait for it
      on_each_rank(id, 1, [](const StepGeometry&) { return 0.0; });
      return true;
    case TaskKind::StorePanel:
    case TaskKind::HostUpdate:
      HPL_ASSERT(!"the model knows of no host that takes part");
      return true;
    case TaskKind::Finish:
      finish(id);
      return true;
  }
  return true;
}

void ProcessColumn::factorize(TaskId id) {
  const Task& task = schedule_[id];
  const auto overlapped_columns = static_cast<double>(task.overlapped_columns);
  double begin = 0, rows = 0, products = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const StepGeometry g = geometry(row, task.step);
    begin = std::max(begin, ready(task, row));
    rows = std::max(rows, panel_rows(g));
    if (task.overlapped_columns > 0 && !serial())
      products = std::max(products, costs_.overlapped_products(panel_rows(g), overlapped_columns,
                                                               w(g), speeds_[row]));
  }
  const PanelShares fractions = costs_.panel_interference(rows, width(task), overlapped_columns);
  const double seconds = costs_.factorize(rows, width(task), overlapped_columns);
  const double end = begin + costs_.task() + slowed_down(seconds, products, fractions.panel);
  panel_->begin.assign(rows_.size(), begin);
  for (std::size_t row = 0; row < rows_.size(); ++row)
    work(id, row, {begin, end}, fractions.product);
}

void ProcessColumn::start_broadcast(TaskId id) {
  entered_.resize(rows_.size());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    entered_[row] = ready(schedule_[id], row);
    trace(id, row, entered_[row], entered_[row]);
    done(id, row, entered_[row]);
  }
  if (geometry(0, schedule_[id].step).on_owner_column) panel_->ready = entered_;
  begun_ = schedule_[id].step;
}

bool ProcessColumn::finish_broadcast(TaskId id) {
  if (schedule_[id].step > arrived_) return false;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double begin = ready(schedule_[id], row), end = std::max(begin, arrival_[row]);
    trace(id, row, begin, end);
    done(id, row, end);
  }
  return true;
}

void ProcessColumn::solve(TaskId id) {
  const Task& task = schedule_[id];
  const SharedRates& shared = costs_.rates().shared;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double begin = ready(task, row);
    const double takes = slowed_by_products(costs_.solve(width(task), columns(task)), row, begin,
                                            shared.solve_beside_product);
    work(id, row, {begin, begin + takes + costs_.task()}, costs_.product_fraction_beside_solve());
  }
}

void ProcessColumn::update(TaskId id) {
  const Task& task = schedule_[id];
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const StepGeometry g = geometry(row, task.step);
    const double seconds =
        with_jitter(row, costs_.update(static_cast<double>(g.below_stored), columns(task), w(g)) /
                                 speeds_[row] +
                             costs_.task());
    const double from = ready(task, row), through = rows_[row].free_at(Worker::Update);
    end_last_product(row);
    const double end = rows_[row].multiply(task.step, from, seconds);
    trace(id, row, std::max(from, through), end);
    if (!spans_.empty()) last_product_[row] = spans_[row].size() - 1;
    done(id, row, end);
  }
}

double ProcessColumn::with_jitter(std::size_t row, double seconds) {
  const double second = costs_.rates().second_deviation;
  if (second == 0) return seconds;
  const double deviation = std::min(second * std::sqrt(seconds), kMostDeviation * seconds);
  return std::max(0.0, seconds + jitters_[row].next(deviation));
}

void ProcessColumn::finish(TaskId id) {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const TaskId awaited = schedule_[id].after[static_cast<std::size_t>(Worker::Update)];
    if (awaited != kNoTask) thread_free_[row] = std::max(thread_free_[row], end_of(awaited, row));
    end_of(id, row) = rows_[row].free_at(Worker::Update);
  }
}

void ProcessColumn::exchange(TaskId id, const ExchangeSeconds& seconds) {
  const Task& task = schedule_[id];
  double begin = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row)
    begin = std::max(begin, ready(task, row));
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    double messages = seconds.messages;
    if (shares_network_) {
      const double arrival = broadcasts_[row].end;
      exchanges_[row] = {begin, begin + messages};
      share_network(row);
      messages = exchanges_[row].seconds();
      if (!owns_panel_ && broadcasts_[row].end > arrival)
        receive(row, {arrival, broadcasts_[row].end});
    }
    const double takes = messages + slowed_by_products(seconds.copies, row, begin,
                                                       costs_.rates().shared.swap_beside_product);
    work(id, row, {begin, begin + takes + costs_.task()},
         costs_.product_fraction_beside_exchange(width(task), columns(task)));
  }
}

template <class Seconds>
void ProcessColumn::on_each_rank(TaskId id, double fraction, Seconds seconds) {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const StepGeometry g = geometry(row, schedule_[id].step);
    const double begin = ready(schedule_[id], row);
    work(id, row, {begin, begin + seconds(g) + costs_.task()}, fraction);
  }
}

void ProcessColumn::work(TaskId id, std::size_t row, Period when, double fraction) {
  if (shares_core()) {
    const double begin = cores_[row].reserve(when.begin, when.seconds());
    when = {begin, begin + when.seconds()};
  }
  const Phase phase = traits(schedule_[id].kind).phase;
  const Activity activity{phase, schedule_[id].step, when.begin, when.end};
  rows_[row].add_busy(phase, when.seconds());
  if (serial())
    rows_[row].remember(activity);
  else
    rows_[row].interfere(activity, fraction);
  trace(id, row, when.begin, when.end);
  done(id, row, when.end);
}

double ProcessColumn::slowed_by_products(double seconds, std::size_t row, double begin,
                                         double fraction) const {
  if (serial()) return seconds;
  return slowed_down(seconds, rows_[row].free_at(Worker::Update) - begin, fraction);
}

double ProcessColumn::width(const Task& task) const {
  return w(geometry(0, task.step));
}

}  // namespace hpl
