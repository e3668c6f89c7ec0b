#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/request.h"
#include "hpl/job/live/progress.h"
#include "hpl/job/live/rank_board.h"

namespace hpl {

/// Shows on rank 0 how far the members of a fleet are, while they run: who is slowest and fastest,
/// and for whom all wait. A member's first rank sends a small message now and then; nobody waits
/// for another.
class FleetProgress {
 public:
  /// Collective over world. Borrows `out`, which rank 0 alone writes.
  FleetProgress(const mpi::Communicator& world, std::ostream& out, const LiveView& view);

  /// A round begins. `names`: of the members in it, on rank 0. `mine`: place of this rank's member
  /// among them where this rank is the first of it, else empty.
  void begin(int round, std::vector<std::string> names, std::optional<int> mine);

  /// A run of this rank's member begins and ends; between them its steps are reported.
  void begin_run(std::int64_t order, int ranks, const std::string& label);
  void step(const StepRecord& record);
  void end_run();

  /// This rank's member is through with the round; on rank 0 returns when all members are, and
  /// calls `meanwhile` now and then.
  void finish(const std::function<void()>& meanwhile);

 private:
  struct Sample {
    std::int32_t round = 0, member = 0;
    std::int32_t through = 0;  ///< 1: with the round
    double fraction = 0, gflops = 0;
  };

  void send(const Sample& sample);
  bool receive();
  bool put(const Sample& sample);
  std::string waiting_text() const;

  mpi::Communicator comm_;
  std::ostream& out_;
  const LiveView view_;
  int round_ = 0;
  std::optional<int> mine_;
  std::int64_t order_ = 0;
  double next_ = 0;
  Sample sending_sample_;  // untouched while it travels
  mpi::RequestSet sending_;
  // On rank 0:
  std::vector<std::string> names_;
  std::vector<Sample> last_;
  std::optional<RankBoard> board_;
  std::optional<Progress> progress_;
};

}  // namespace hpl
