#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "bounded_queue.h"
#include "hpcx/thread.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/lu/pipeline/executor.h"

namespace hpl {

namespace {

/// In the order in which they begin: the first panel is fetched, then factorized.
constexpr std::array kWorkers{Worker::Transfer, Worker::Panel, Worker::Swap, Worker::Update,
                              Worker::Load,     Worker::Store, Worker::Host};

/// Messages that a queue holds beyond those it must: a worker may run ahead of those it feeds.
constexpr std::int64_t kSlack = 2;

class ThreadedExecutor {
 public:
  ThreadedExecutor(const Schedule& schedule, TaskRunner& runner, JobControl& control)
      : schedule_(schedule), runner_(runner), control_(control) {
    for (const Worker from : kWorkers)
      for (const Worker to : kWorkers)
        if (const std::int64_t most = schedule.most_open(from, to); most > 0)
          queue(from, to) = std::make_unique<BoundedQueue<Done>>(most + kSlack);
  }

  void run() {
    control_.on_stop([this] { close(); });
    {
      std::vector<std::jthread> threads;
      try {
        for (const Worker worker : kWorkers)
          if (schedule_.has_work(worker)) threads.push_back(start(worker));
      } catch (...) {  // those that run would wait for ever
        control_.fail(std::current_exception());
      }
    }
    control_.on_stop(nullptr);
    control_.rethrow_failure();
  }

 private:
  /// An arrow of the schedule.
  struct Done {
    TaskId task;
    hpcx::Event event;
  };

  std::jthread start(Worker worker) {
    return hpcx::start_thread("a worker of the factorization", [this, worker] {
      hpcx::name_this_thread(to_string(worker));
      mpi::prepare_waiting_thread();
      try {
        if (work(worker)) control_.set_status(worker, "is done", last_step());
      } catch (...) {
        control_.fail(std::current_exception());
      }
    });
  }

  /// The tasks of one worker; false where the queues were closed.
  bool work(Worker me) {
    const std::chrono::nanoseconds patience = runner_.patience();
    std::vector<hpcx::Event> after;
    for (TaskId id = 0; id < schedule_.size(); ++id) {
      const Task& task = schedule_[id];
      if (task.worker != me) continue;
      after.clear();
      for (const TaskId awaited : task.after) {
        if (awaited == kNoTask) continue;
        control_.set_waiting(task, schedule_[awaited].kind);
        std::optional<Done> done = queue(schedule_[awaited].worker, me)->pop(patience);
        if (!done) return false;
        HPL_ASSERT(done->task == awaited);
        after.push_back(std::move(done->event));
      }
      control_.set_doing(task);
      const hpcx::Event event = runner_.run(task, after);
      for (const Worker other : kWorkers)
        if (schedule_.awaited_by(id, other) && !queue(me, other)->push({id, event})) return false;
    }
    return true;
  }

  void close() {
    for (const auto& queue : queues_)
      if (queue) queue->close();
  }

  std::unique_ptr<BoundedQueue<Done>>& queue(Worker from, Worker to) {
    return queues_[static_cast<std::size_t>(from) * kWorkerCount + static_cast<std::size_t>(to)];
  }
  std::int64_t last_step() const {
    return schedule_.size() > 0 ? schedule_.tasks().back().step : 0;
  }

  const Schedule& schedule_;
  TaskRunner& runner_;
  JobControl& control_;
  std::array<std::unique_ptr<BoundedQueue<Done>>, std::size_t{kWorkerCount} * kWorkerCount> queues_;
};

}  // namespace

void run_threaded(const Schedule& schedule, TaskRunner& runner, JobControl& control) {
  ThreadedExecutor(schedule, runner, control).run();
}

}  // namespace hpl
