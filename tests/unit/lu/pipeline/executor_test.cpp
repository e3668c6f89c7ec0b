#include "hpl/lu/pipeline/executor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/message_of.h"

namespace hpl {
namespace {

/// The end of a task, under the task's number; notes the tasks whose end the host waits for.
class NumberedEvent final : public hpcx::EventState {
 public:
  NumberedEvent(TaskId number, std::vector<TaskId>& waited_for)
      : task(number), waited_for_(waited_for) {}
  bool done() const override { return true; }
  void synchronize() override { waited_for_.push_back(task); }
  double seconds_since(const EventState&) const override { return 0; }

  const TaskId task;

 private:
  std::vector<TaskId>& waited_for_;
};

/// Does nothing, and looks whether what each task waits for has been done.
class FakeRunner final : public TaskRunner {
 public:
  explicit FakeRunner(const Schedule& schedule, bool pauses = false)
      : schedule_(schedule), pauses_(pauses), done_(static_cast<std::size_t>(schedule.size())) {}

  hpcx::Event run(const Task& task, std::span<const hpcx::Event> after) override {
    const TaskId id = &task - schedule_.tasks().data();
    if (id == failing_) throw std::runtime_error("task " + std::to_string(id));
    Thread& mine = threads_[static_cast<std::size_t>(task.worker)];
    mine.ids.insert(std::this_thread::get_id());
    for (const TaskId awaited : task.after)
      if (awaited != kNoTask && !done_[static_cast<std::size_t>(awaited)]) ++mine.too_early;
    if (id <= mine.last) ++mine.too_early;
    mine.last = id;
    std::vector<TaskId> told;
    for (const hpcx::Event& event : after)
      told.push_back(dynamic_cast<const NumberedEvent&>(*event.state()).task);
    std::vector<TaskId> awaited;
    std::ranges::copy_if(task.after, std::back_inserter(awaited),
                         [](TaskId other) { return other != kNoTask; });
    for (const TaskId event : told)
      if (std::ranges::count(awaited, event) != 1) ++mine.wrong_events;
    mine.events += std::ssize(told);
    if (pauses_ && id % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    done_[static_cast<std::size_t>(id)] = true;
    const std::lock_guard lock(mutex_);
    order_.push_back(id);
    return hpcx::Event(std::make_shared<NumberedEvent>(id, waited_for_));
  }
  void progress() override { ++progressed_; }

  void fail_at(TaskId id) { failing_ = id; }

  const std::vector<TaskId>& order() const { return order_; }
  const std::vector<TaskId>& waited_for() const { return waited_for_; }
  std::int64_t events() const { return sum(&Thread::events); }
  std::int64_t progressed() const { return progressed_; }
  void expect_right() const {
    EXPECT_EQ(std::ssize(order_), schedule_.size());
    EXPECT_EQ(sum(&Thread::too_early), 0);
    EXPECT_EQ(sum(&Thread::wrong_events), 0);
  }
  std::set<std::thread::id> threads_of(Worker worker) const {
    return threads_[static_cast<std::size_t>(worker)].ids;
  }

 private:
  struct Thread {
    std::set<std::thread::id> ids;
    TaskId last = kNoTask;
    std::int64_t too_early = 0, wrong_events = 0, events = 0;
  };
  std::int64_t sum(std::int64_t Thread::*what) const {
    std::int64_t all = 0;
    for (const Thread& thread : threads_)
      all += thread.*what;
    return all;
  }

  const Schedule& schedule_;
  const bool pauses_;
  std::vector<std::atomic<bool>> done_;
  std::array<Thread, kWorkerCount> threads_;
  std::mutex mutex_;
  std::vector<TaskId> order_, waited_for_;
  TaskId failing_ = kNoTask;
  std::int64_t progressed_ = 0;
};

constexpr std::array kKinds{TaskKind::Fetch,           TaskKind::Factorize, TaskKind::Prepare,
                            TaskKind::FinishBroadcast, TaskKind::Swap,      TaskKind::Solve,
                            TaskKind::AllGather,       TaskKind::Update};

/// Tasks of any kind for any worker that wait for some of those before them: no factorization.
Schedule random_schedule(unsigned seed, int tasks) {
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t limit) {
    return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random);
  };
  const std::int64_t reach = 1 + below(60);
  Schedule schedule;
  std::array<TaskId, kWorkerCount> newest;
  newest.fill(kNoTask);
  for (TaskId id = 0; id < tasks; ++id) {
    const auto worker = static_cast<std::size_t>(below(kWorkerCount));
    // The host waits for its own device now and then.
    const bool finish = newest[worker] != kNoTask && below(10) == 0;
    const TaskKind kind =
        finish ? TaskKind::Finish : kKinds[static_cast<std::size_t>(below(kKinds.size()))];
    const auto some = [&] {
      return id == 0 || below(3) == 0 ? kNoTask : std::max<TaskId>(0, id - 1 - below(reach));
    };
    const Task task{.kind = kind, .step = id, .worker = static_cast<Worker>(worker)};
    if (finish)
      schedule.add(task, {newest[worker]});
    else
      schedule.add(task, {some(), some(), some()});
    newest[worker] = id;
  }
  return schedule;
}

std::int64_t arrows_of(const Schedule& schedule) {
  std::int64_t arrows = 0;
  for (const Task& task : schedule.tasks())
    arrows += std::ranges::count_if(task.after, [](TaskId id) { return id != kNoTask; });
  return arrows;
}

Task of(TaskKind kind) {
  return {.kind = kind, .worker = traits(kind).worker};
}

using Run = void (*)(const Schedule&, TaskRunner&, JobControl&);

/// A schedule that was carried out.
struct Done {
  Done(Run run, const Schedule& schedule, bool pauses = false) : runner(schedule, pauses) {
    run(schedule, runner, control);
    runner.expect_right();
  }

  FakeRunner runner;
  JobControl control;
};

TEST(ThreadedExecutor, GivesEveryWorkerAThreadOfItsOwn) {
  const Schedule schedule = random_schedule(1, 400);
  const Done all(&run_threaded, schedule);
  std::set<std::thread::id> threads;
  for (int worker = 0; worker < kWorkerCount; ++worker) {
    const auto own = all.runner.threads_of(static_cast<Worker>(worker));
    EXPECT_EQ(own.size(), 1u);
    threads.insert(own.begin(), own.end());
  }
  EXPECT_EQ(threads.size(), static_cast<std::size_t>(kWorkerCount));
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(ThreadedExecutor, TellsWhatEachWorkerDid) {
  const Schedule schedule = random_schedule(2, 100);
  const Done all(&run_threaded, schedule);
  for (const WorkerState& state : all.control.workers())
    EXPECT_EQ(state.what, "is done");
}

TEST(SerialExecutor, DoesEverythingInTheCallingThread) {
  const Schedule schedule = random_schedule(3, 100);
  const Done all(&run_serial, schedule);
  for (int worker = 0; worker < kWorkerCount; ++worker)
    EXPECT_EQ(all.runner.threads_of(static_cast<Worker>(worker)),
              std::set{std::this_thread::get_id()});
  EXPECT_EQ(all.control.workers().size(), 1u);
}

TEST(SerialExecutor, PutsOffWhatCanWaitUntilSomethingNeedsIt) {
  Schedule schedule;
  schedule.add(of(TaskKind::StartBroadcast), {});                          // 0
  const TaskId arrived = schedule.add(of(TaskKind::FinishBroadcast), {});  // 1
  const TaskId ready = schedule.add(of(TaskKind::Prepare), {arrived});     // 2
  schedule.add(of(TaskKind::Update), {});                                  // 3
  schedule.add(of(TaskKind::Factorize), {});                               // 4: after 1
  schedule.add(of(TaskKind::Update), {});                                  // 5
  schedule.add(of(TaskKind::Swap), {ready});                               // 6: after 2
  const Done all(&run_serial, schedule);
  EXPECT_EQ(all.runner.order(), (std::vector<TaskId>{0, 3, 1, 4, 5, 2, 6}));
}

TEST(SerialExecutor, TellsOfWhatIsNotOverYet) {
  Schedule schedule;
  schedule.add(of(TaskKind::Swap), {});                              // 0
  const TaskId solved = schedule.add(of(TaskKind::Solve), {});       // 1: in the stream of 0
  const TaskId done = schedule.add(of(TaskKind::Update), {solved});  // 2: told of 1
  schedule.add(of(TaskKind::Finish),
               {done});                     // 3: the host waits, so it is told of its own worker's
  schedule.add(of(TaskKind::Prepare), {});  // 4: waits for nothing
  const Done all(&run_serial, schedule);
  EXPECT_EQ(all.runner.events(), 2);
  // Another worker's, which nothing later may wait for; and the last.
  EXPECT_EQ(all.runner.waited_for(), (std::vector<TaskId>{3, 4}));
}

TEST(EnqueuingExecutor, MakesAPanelWhenTheTailHasItsUpdates) {
  Schedule schedule;
  const TaskId ready = schedule.add(of(TaskKind::Prepare), {});            // 0: panel k
  schedule.add(of(TaskKind::Swap), {ready});                               // 1: the next columns
  const TaskId ahead = schedule.add(of(TaskKind::Update), {1});            // 2
  const TaskId fetched = schedule.add(of(TaskKind::Fetch), {ahead});       // 3: panel k + 1
  schedule.add(of(TaskKind::Factorize), {fetched});                        // 4
  schedule.add(of(TaskKind::StartBroadcast), {});                          // 5
  const TaskId arrived = schedule.add(of(TaskKind::FinishBroadcast), {});  // 6
  const TaskId next = schedule.add(of(TaskKind::Prepare), {arrived});      // 7
  schedule.add(of(TaskKind::Swap), {ready});                               // 8: the tail
  schedule.add(of(TaskKind::Update), {8});                                 // 9
  schedule.add(of(TaskKind::Swap), {next});                                // 10: with panel k + 1
  const Done all(&run_enqueuing, schedule);
  EXPECT_EQ(all.runner.order(), (std::vector<TaskId>{0, 1, 2, 3, 8, 9, 4, 5, 6, 7, 10}));
}

class AnyExecutor : public testing::TestWithParam<Run> {};

TEST_P(AnyExecutor, DoesNothingWhereThereIsNothingToDo) {
  const Done nothing(GetParam(), {});
}

TEST_P(AnyExecutor, CarriesOutAnyTasksInAnOrderThatIsRight) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Schedule schedule = random_schedule(seed, 300);
    const Done all(GetParam(), schedule, GetParam() == &run_threaded && seed % 4 == 0);
    const bool serial = GetParam() == &run_serial, enqueuing = GetParam() == &run_enqueuing;
    EXPECT_TRUE(serial || all.runner.events() == arrows_of(schedule)) << all.runner.events();
    EXPECT_TRUE(!serial || all.runner.progressed() > 0);
    EXPECT_TRUE(!enqueuing || all.runner.progressed() == schedule.size());
  }
}

TEST_P(AnyExecutor, RethrowsWhatATaskThrows) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Schedule schedule = random_schedule(seed, 200);
    FakeRunner runner(schedule);
    const TaskId failing = seed * 3 % 200;
    runner.fail_at(failing);
    JobControl control;
    EXPECT_EQ(test::message_of<std::runtime_error>([&] { GetParam()(schedule, runner, control); }),
              "task " + std::to_string(failing));
  }
}

INSTANTIATE_TEST_SUITE_P(All, AnyExecutor,
                         testing::Values(&run_threaded, &run_enqueuing, &run_serial),
                         [](const auto& test) {
                           if (test.param == &run_threaded) return std::string("Threaded");
                           return std::string(test.param == &run_serial ? "Serial" : "Enqueuing");
                         });

}  // namespace
}  // namespace hpl
