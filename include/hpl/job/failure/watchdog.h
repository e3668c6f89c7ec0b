#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/comm/mpi/side_channel.h"
#include "hpl/job/failure/abort_report.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/pipeline/job_control.h"
#include "hpl/machine/host/launch.h"
#include "hpl/machine/host/stop_detector.h"
#include "hpl/machine/host/termination_signal.h"

namespace hpl {

class HangDiagnosis;

/// Ends a job that cannot go on, on all ranks, with exit code 3 and one message. Each rank has a
/// thread for it from before MPI starts until MPI has ended. It sleeps until there is no progress
/// for the limit, SIGTERM arrives, this rank fails, ranks that others wait for do not answer, or
/// another rank says that the job must end.
/// Then the ranks tell each other what they are doing (mpi::SideChannel). The lowest that answers
/// prints who waited for whom and names those that do not answer. No rank needs the others in order
/// to end: each has a last deadline.
///
/// While MPI starts and ends, ranks cannot exchange messages. The lowest rank that is not stuck
/// itself prints first, and the launcher ends the others silently. A rank that was stopped and is
/// continued only to be ended is silent too. The kernel kills a rank that stops after MPI has ended
/// elsewhere. Where MPI does not let a second thread send, each rank prints for itself.
class Watchdog {
 public:
  /// The activity during which the workers' states are reported as well.
  static constexpr const char* kFactorizes = activity::kFactorizes;

  /// Seconds beyond the limit for activities without steps: opening devices, measuring rates.
  static constexpr double kSetUpAllowance = 120;

  /// Constructed before MPI starts, since it watches that too. `signal` must outlive it.
  /// `limit_seconds`: without progress; 0: only failures and signals count. Throws
  /// hpcx::ThreadRefused.
  Watchdog(const TerminationSignal& signal, double limit_seconds, const Launch& launch);
  /// This rank's part of the job has ended well.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// The part of the job in which the ranks can ask each other. What follows is the end of MPI.
  class Ranks {
   public:
    /// Collective over world, which must outlive it.
    Ranks(Watchdog& watchdog, const mpi::Communicator& world, mpi::ThreadLevel thread_level);
    /// Collective over world: as long as one rank is missing, the others can ask for it.
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

   private:
    Watchdog& watchdog_;
    const mpi::Communicator& world_;
  };

  /// Sets what this rank does from now on. The clock starts again, with `allowance` on top of the
  /// limit. `what` is a verb with its object: "measures the attainable rate".
  void enter(const std::string& what, double allowance_seconds = 0);
  /// The same for a wait for ranks that have work of their own. It has no limit as long as they
  /// answer: those that are silent for the limit end the job as soon as no other has work.
  void rest(const std::string& what);
  /// The present work of this rank, in the words of enter(). Any thread.
  std::string activity() const;

  /// `receiver` is called, in another thread, when the job is aborted, on the rank that prints the
  /// message and on those that hear of it. An empty function takes the callback away. Does not
  /// return where the abort has begun.
  void on_bad_end(std::function<void(const BadEnd& end)> receiver);

  /// Ends the job because this rank has failed. Of several failures the lowest rank's is printed.
  [[noreturn]] void fail(const std::string& what);

  /// A run to be watched. Borrows what it refers to.
  struct Watched {
    const JobControl& control;
    const mpi::Communicator& ranks;  ///< of its grid
    GridPosition position;           ///< of this rank
    std::string label;
    /// Returns the trouble that the network of the devices reports, empty for none. The watchdog's
    /// thread calls it. Trouble that stays ends the job.
    std::function<std::string()> trouble{};
  };

  /// Watches a run as long as the object lives: its steps count as progress. The workers' last
  /// states of a run that ends by an exception are kept for fail(). Collective over the grid.
  class Run {
   public:
    Run(Watchdog& watchdog, Watched run);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    Watchdog& watchdog_;
  };

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const std::stop_token& stop);
  void act();
  /// `reported`: by another rank, so that this one is silent.
  [[noreturn]] void end_alone(AbortCause cause, bool reported);
  /// Whether the launcher sends SIGTERM, too, while an earlier rank has the time to speak.
  bool launcher_ends_this_rank();
  /// Until `pause` is over, or a signal, a failure or the end comes; true for the last two.
  bool sleep(std::chrono::milliseconds pause) const;
  void wake() const;
  bool take_signal();
  /// SIGTERM has come, and it is no use to wait until the ranks can ask each other.
  bool signal_is_due(Clock::time_point now);
  /// The cause that others report, or their silence; a failure of this rank if it cannot hear them.
  std::optional<AbortCause> cause_elsewhere(Clock::time_point now);
  std::optional<AbortCause> own_cause(Clock::time_point now);
  double silent_seconds(Clock::time_point now) const;
  /// Trouble of the network that has lasted for a while; empty: none.
  std::string lasting_trouble(Clock::time_point now);
  void report(const BadEnd& end);
  RankState state() const;

  double limit_seconds_;
  const TerminationSignal& signal_;
  Launch launch_;  // the rank is that of the world once MPI has started
  std::string host_;

  std::mutex asking_;  // while the thread acts: guards the three below
  bool soon_asking_ = false;
  std::optional<mpi::SideChannel> channel_;
  std::unique_ptr<HangDiagnosis> hang_diagnosis_;  // there while the ranks can ask each other

  std::mutex reporting_;  // for as long as it goes on
  std::function<void(const BadEnd&)> receiver_;
  bool reported_ = false;
  mutable std::mutex mutex_;
  std::vector<RankLocation> places_;
  std::string activity_, run_, failure_;
  Clock::time_point since_ = Clock::now();
  double allowance_seconds_ = 0;
  bool resting_ = false;
  const JobControl* control_ = nullptr;
  std::function<std::string()> trouble_;        // see Run; there while the run is
  std::optional<Clock::time_point> troubled_;   // since then; the thread's own
  std::vector<WorkerState> last_workers_;       // of a run that failed
  StopDetector stops_{Clock::now()};            // the thread's own, like the next
  std::optional<SignalSender> sender_;          // of the last SIGTERM
  std::optional<Clock::time_point> signalled_;  // the same, while it is not acted upon
  int wake_descriptor_;
  std::jthread thread_;  // the last one: it uses all others
};

}  // namespace hpl
