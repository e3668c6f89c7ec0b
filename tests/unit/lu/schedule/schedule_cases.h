#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/schedule/lu_schedule.h"

namespace hpl::test {

/// A factorization whose schedules are looked at.
struct ScheduleCase {
  std::int64_t order, block;
  int rows, columns;
  int look_ahead;
  std::int64_t chunk;
  bool weighted = false, checksums = false, equilibrate = true;
  std::int64_t step_limit = 0;
  int host_ahead = 1;
  int visit_steps = 0;  ///< 0: the matrix is on the device
  std::int64_t resident = 0, visit_columns = 0;
  bool host = false;  ///< takes part
  bool fetcher_updates = false;
  bool mixed = false;  ///< HPL-MxP

  RunSpec spec() const {
    RunSpec spec{.order = order,
                 .block_size = block,
                 .grid_rows = rows,
                 .grid_columns = columns,
                 .depth = look_ahead,
                 .swap = SwapVariant::SpreadRoll,
                 .equilibrate = equilibrate,
                 .checksums = checksums};
    for (int q = 0; weighted && q < columns; ++q)
      spec.column_weights.push_back(1.0 + 0.3 * (q % 3));
    return mixed ? make_mixed(spec, {}) : spec;
  }
  SchedulePolicy policy() const {
    return {.visits = visit_steps == 0 ? VisitPolicy{}
                                       : VisitPolicy{resident, visit_steps, visit_columns},
            .look_ahead = look_ahead,
            .chunk_columns = chunk,
            .step_limit = step_limit,
            .host_ahead = host_ahead,
            .host_takes_part = host,
            .fetcher_updates = fetcher_updates};
  }
  LocalShape shape(int row, int column) const { return local_shape(spec(), {row, column}); }
  Schedule schedule(int row, int column) const {
    return lu_schedule(spec(), shape(row, column), policy());
  }
};

inline void PrintTo(const ScheduleCase& c, std::ostream* out) {
  *out << "N " << c.order << " NB " << c.block << " on " << c.rows << " x " << c.columns
       << ", look-ahead " << c.look_ahead << ", chunks of " << c.chunk
       << (c.weighted ? ", weighted" : "") << (c.checksums ? ", checksums" : "")
       << (c.equilibrate ? "" : ", not equilibrated");
  if (c.visit_steps > 0)
    *out << ", visits of " << c.visit_steps << " steps, " << c.resident << " columns resident"
         << (c.host ? ", host takes part" : "");
  if (c.fetcher_updates) *out << ", the fetcher updates";
  if (c.mixed) *out << ", HPL-MxP";
  if (c.step_limit > 0) *out << ", " << c.step_limit << " steps";
}

/// Small and large grids, sizes that divide by nothing.
inline std::vector<ScheduleCase> schedule_cases(int look_ahead) {
  std::vector<ScheduleCase> cases;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {4, 4}})
    for (const auto& [order, block] :
         {std::pair<std::int64_t, std::int64_t>{0, 4}, {1, 4}, {37, 64}, {96, 8}, {101, 7}})
      for (const std::int64_t chunk : {1, 20, 4096})
        cases.push_back({order, block, rows, columns, look_ahead, chunk, chunk == 20, chunk == 1,
                         look_ahead != 3});
  cases.push_back({190, 10, 2, 2, look_ahead, 40, false, false, true, 7});
  cases.push_back({190, 10, 1, 3, look_ahead, 40, true, false, true, 1, 0});
  for (const int rows : {1, 2}) {
    ScheduleCase c{195, 10, rows, 1, look_ahead, 24};
    c.fetcher_updates = true;
    cases.push_back(c);
  }
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 3}, {3, 1}, {2, 3}})
    for (const std::int64_t order : {1, 96, 101}) {
      ScheduleCase c{order, 8, rows, columns, look_ahead, 20, order == 101};
      c.mixed = true;
      cases.push_back(c);
    }
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 2}, {2, 2}, {1, 3}})
    for (const int steps : {1, 2, 3, 5})
      for (const std::int64_t resident : {0, 44, 1000}) {
        ScheduleCase c{195,        10,
                       rows,       columns,
                       look_ahead, 24,
                       steps == 3, steps == 2,
                       true,       steps == 5 && resident == 0 ? 11 : 0,
                       1,          steps,
                       resident,   steps % 2 == 0 ? 5 : 0};
        cases.push_back(c);
        c.host = resident < 1000 && (rows + steps) % 2 == 0;
        if (c.host) cases.push_back(c);
      }
  if (look_ahead == 2) return cases;  // thousands of ranks take their time
#if defined(HPL_SANITIZE_ADDRESS) || defined(HPL_SANITIZE_THREAD)
  constexpr int kSide = 16;  // and more of it under a sanitizer
#else
  constexpr int kSide = 64;
#endif
  cases.push_back({2100, 31, kSide, kSide, look_ahead, 64});
  cases.push_back({4099, 64, kSide, kSide, look_ahead, 128, true});
  cases.push_back({1150, 17, 8, kSide, look_ahead, 34});
  return cases;
}

/// The tasks of a schedule that are certainly done when another begins, whatever the workers'
/// speeds: those that its worker did before, those that it waits for, and what was done before
/// these.
class Precedence {
 public:
  explicit Precedence(const Schedule& schedule) : schedule_(schedule) {
    std::array<Clock, kWorkerCount> now{};
    now.fill(kNothing);
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      Clock& mine = now[static_cast<std::size_t>(task.worker)];
      for (const TaskId awaited : task.after)
        if (awaited != kNoTask) mine = joined(mine, after(awaited));
      before_.push_back(mine);
      mine = after(id);
    }
  }

  bool comes_before(TaskId first, TaskId second) const {
    return before_[static_cast<std::size_t>(second)][of(first)] >= first;
  }

 private:
  using Clock = TaskOfEach;  // by worker: the last task that is done
  static constexpr Clock kNothing = no_tasks();

  static Clock joined(Clock a, const Clock& b) {
    for (std::size_t w = 0; w < a.size(); ++w)
      a[w] = std::max(a[w], b[w]);
    return a;
  }
  std::size_t of(TaskId id) const { return static_cast<std::size_t>(schedule_[id].worker); }
  Clock after(TaskId id) const {
    Clock clock = before_[static_cast<std::size_t>(id)];
    clock[of(id)] = id;
    return clock;
  }

  const Schedule& schedule_;
  std::vector<Clock> before_;
};

inline bool is_copy(const Task& task) {
  return task.kind == TaskKind::Load || task.kind == TaskKind::Store;
}
inline std::int64_t steps_of(const ScheduleCase& c, const LocalShape& shape) {
  return steps_to_make(shape, c.policy());
}

/// By look-ahead.
class LuScheduleTest : public testing::TestWithParam<int> {
 protected:
  /// Calls check(case, shape, schedule) for every case and process column, in a row of the grid.
  template <class Check>
  static void for_all_columns(Check check) {
    for (const ScheduleCase& c : schedule_cases(GetParam()))
      for (int q = 0; q < c.columns; ++q) {
        SCOPED_TRACE(testing::PrintToString(c) + ", process column " + std::to_string(q));
        check(c, c.shape(c.rows - 1, q), c.schedule(c.rows - 1, q));
        if (HasFatalFailure()) return;
      }
  }
};

}  // namespace hpl::test
