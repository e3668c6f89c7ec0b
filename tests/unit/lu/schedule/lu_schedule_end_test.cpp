#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/pipeline/executor.h"
#include "schedule_cases.h"

namespace hpl {
namespace {

using test::ScheduleCase;

/// Notes the order in which an executor carries tasks out.
class OrderOfTasks final : public TaskRunner {
 public:
  explicit OrderOfTasks(const Schedule& schedule) : schedule_(schedule) {}
  hpcx::Event run(const Task& task, std::span<const hpcx::Event>) override {
    order_.push_back(&task - schedule_.tasks().data());
    return {};
  }
  std::vector<TaskId> take() { return std::move(order_); }

 private:
  const Schedule& schedule_;
  std::vector<TaskId> order_;
};

/// All ranks of a grid, each with its threads and the queues between these, without the work. What
/// ranks do together none of them is through with before all have begun it.
class MadeUpGrid {
 public:
  enum class Executor { Threaded, Serial };

  MadeUpGrid(const ScheduleCase& c, Executor executor)
      : case_(c), threaded_(executor == Executor::Threaded) {
    for (int q = 0; q < c.columns; ++q) {
      schedules_.push_back(c.schedule(0, q));  // the same on all ranks of a process column
      orders_.push_back(threaded_ ? by_worker(schedules_.back()) : serial(schedules_.back()));
    }
    ranks_.resize(static_cast<std::size_t>(c.rows * c.columns));
    for (auto& begun : begun_)
      begun.resize(index(std::max(c.rows, c.columns)));
  }

  /// Whether all ranks carry all their tasks out.
  bool ends() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < case_.rows * case_.columns; ++rank)
        for (std::size_t thread = 0; thread < orders_[column(rank)].size(); ++thread)
          while (advance(rank, thread))
            moved = true;
    }
    for (int rank = 0; rank < case_.rows * case_.columns; ++rank)
      for (std::size_t thread = 0; thread < orders_[column(rank)].size(); ++thread)
        if (ranks_[index(rank)].position[thread] < orders_[column(rank)][thread].size())
          return false;
    return true;
  }

 private:
  /// Common work of ranks goes its own way, with an order of its own: panels along the row, pivots,
  /// rows and those of the host along the column.
  enum Channel : std::size_t { kPanels, kPivots, kRows, kRowsOfHost, kChannels };
  static Channel channel_of(TaskKind kind) {
    if (traits(kind).peers == Peers::Row) return kPanels;
    if (kind == TaskKind::HostUpdate) return kRowsOfHost;
    return kind == TaskKind::Factorize ? kPivots : kRows;
  }
  struct Rank {
    std::array<std::size_t, kWorkerCount> position{};  // by thread
    std::array<bool, kWorkerCount> begun{};            // the task there, which others take part in
    std::array<std::array<std::int64_t, kWorkerCount>, kWorkerCount> queued{};
    std::array<std::size_t, kChannels> together{};  // by channel: operations so far
  };
  using Orders = std::vector<std::vector<TaskId>>;  // by thread

  static Orders by_worker(const Schedule& schedule) {
    Orders orders(kWorkerCount);
    for (TaskId id = 0; id < schedule.size(); ++id)
      orders[static_cast<std::size_t>(schedule[id].worker)].push_back(id);
    return orders;
  }
  static Orders serial(const Schedule& schedule) {
    JobControl control;
    OrderOfTasks order(schedule);
    run_serial(schedule, order, control);
    return {order.take()};
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  std::size_t column(int rank) const { return index(rank % case_.columns); }
  std::size_t row(int rank) const { return index(rank / case_.columns); }

  /// One task of one thread, as far as it can go now.
  bool advance(int number, std::size_t thread) {
    Rank& rank = ranks_[index(number)];
    const Schedule& schedule = schedules_[column(number)];
    const std::vector<TaskId>& order = orders_[column(number)][thread];
    std::size_t& position = rank.position[thread];
    if (position == order.size()) return false;
    const TaskId id = order[position];
    const Task& task = schedule[id];
    if (threaded_ && !rank.begun[thread]) {
      for (std::size_t from = 0; from < kWorkerCount; ++from)
        if (task.after[from] != kNoTask && rank.queued[from][thread] == 0) return false;
      for (std::size_t to = 0; to < kWorkerCount; ++to)
        if (!has_room(rank, schedule, id, to)) return false;
    }
    if (traits(task.kind).peers != Peers::None &&
        !together(number, rank, thread, channel_of(task.kind)))
      return false;
    if (threaded_) {
      for (std::size_t from = 0; from < kWorkerCount; ++from)
        if (task.after[from] != kNoTask) --rank.queued[from][thread];
      for (std::size_t to = 0; to < kWorkerCount; ++to)
        if (schedule.awaited_by(id, static_cast<Worker>(to))) ++rank.queued[thread][to];
    }
    ++position;
    return true;
  }

  /// The executor's own queues hold some more.
  static bool has_room(const Rank& rank, const Schedule& schedule, TaskId id, std::size_t to) {
    const auto worker = static_cast<Worker>(to);
    const Worker from = schedule[id].worker;
    const bool takes_one = schedule[id].after[to] != kNoTask && worker == from;
    return !schedule.awaited_by(id, worker) ||
           rank.queued[static_cast<std::size_t>(from)][to] - (takes_one ? 1 : 0) <
               schedule.most_open(from, worker);
  }

  /// Begins what a rank does next with its row or column; true when all have begun it.
  bool together(int number, Rank& rank, std::size_t thread, Channel channel) {
    const bool of_row = channel == kPanels;
    std::vector<int>& begun = begun_[channel][of_row ? row(number) : column(number)];
    std::size_t& done = rank.together[channel];
    if (!rank.begun[thread]) {
      if (begun.size() <= done) begun.resize(done + 1);
      ++begun[done];
      rank.begun[thread] = true;
    }
    if (begun[done] < (of_row ? case_.columns : case_.rows)) return false;
    rank.begun[thread] = false;
    ++done;
    return true;
  }

  ScheduleCase case_;
  bool threaded_;
  std::vector<Schedule> schedules_;  // by process column
  std::vector<Orders> orders_;
  std::vector<Rank> ranks_;
  // By channel, row or column, operation: how many ranks have begun it.
  std::array<std::vector<std::vector<int>>, kChannels> begun_;
};

/// By look-ahead.
class LuScheduleEnds : public testing::TestWithParam<int> {
 protected:
  static void expect_end(MadeUpGrid::Executor executor) {
    for (const ScheduleCase& c : test::schedule_cases(GetParam()))
      EXPECT_TRUE(MadeUpGrid(c, executor).ends()) << testing::PrintToString(c);
  }
};

TEST_P(LuScheduleEnds, WithFourWorkersOnEveryRank) {
  expect_end(MadeUpGrid::Executor::Threaded);
}

TEST_P(LuScheduleEnds, WithOneThreadOnEveryRank) {
  expect_end(MadeUpGrid::Executor::Serial);
}

INSTANTIATE_TEST_SUITE_P(LookAhead, LuScheduleEnds, testing::Values(0, 1, 2, 3, 5));

}  // namespace
}  // namespace hpl
