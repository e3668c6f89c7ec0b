#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "hpl/base/result/host_work.h"
#include "hpl/lu/schedule/schedule.h"

namespace hpl {

/// How much of the tail update the host's cores take, of each step.
struct HostShare {
  double first = 0;      ///< to begin with, 0 to 1
  bool follows = false;  ///< then as the times of host and device say; else it stays
};

/// The share with which a host of this rate ends together with the device (Ma et al., 2010): rates
/// in any unit. Pure.
double balanced_share(double host_rate, double device_rate);

/// Rates of products that were measured before a run, GFLOP/s.
struct HybridRates {
  double device_alone = 0;   ///< while columns are copied as in a run
  double device_beside = 0;  ///< the same while the host computes too
  double host_beside = 0;    ///< of the host meanwhile
};
/// The first share by these rates; 0 where both together are hardly faster than the device alone:
/// the host has few cores to spare, or its memory none of its bandwidth. Pure.
double first_share(const HybridRates& rates);

/// Divides the columns that visit the device between device and host, step by step, while the
/// factorization runs. A *round* is the tail update of a step: the visits that end with it, from
/// the right, are the device's, and the first columns from the left the host's, so many that both
/// end together. Where both ends meet a visit is divided between the two.
///
/// The share follows the last round that both have done (Yang et al., 2010), unless they ended
/// within a threshold of each other (Li et al.). What a share leaves over, because columns are
/// counted in sixteens, goes to the next round.
///
/// Which round is decided next follows from the order of tasks alone: without `follows`, all
/// processes of a column divide alike. Thread-safe.
class WorkDivision {
 public:
  WorkDivision(const Schedule& schedule, const HostShare& share);

  /// The part of a task's columns that its worker has to update: all of them where the visit is not
  /// divided. Both parts of a visit together are all of it; each may be empty.
  ColumnRange part(const Task& task);

  /// The host is through with a task of this visit, in the order of the schedule: what it did took
  /// until `now`, so many seconds.
  void host_did(const Task& task, double seconds, double flops, double now);
  /// The device is through with a step, in the order of steps.
  void device_did(std::int64_t step, double now);

  HostWork work() const;

 private:
  struct Visit {
    std::size_t round = 0;
    std::int64_t columns = 0, steps = 0;
    std::int64_t of_host = 0;  // columns, once its round has been decided
  };
  struct Round {
    std::int64_t step = 0;
    std::size_t first_visit = 0, visits = 0;
    double work = 0;  // of both
    bool decided = false;
    double host_work = 0, host_seconds = 0;
    std::int64_t host_tasks = 0;  // not yet done
    std::optional<double> host_end, device_end;
  };

  void decide(Round& round);
  /// Once both are through with a round.
  void compare(std::size_t number);

  HostShare policy_;
  mutable std::mutex mutex_;
  std::vector<Visit> visits_;
  std::vector<Round> rounds_;
  std::size_t next_of_device_ = 0;  // round
  double share_;
  double owed_ = 0;  // to the host: work that the rounds so far left over
  HostWork work_;
};

}  // namespace hpl
