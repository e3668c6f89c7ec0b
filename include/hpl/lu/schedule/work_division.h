#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "hpl/base/result/host_work.h"
#include "hpl/lu/schedule/schedule.h"

namespace hpl {

/// The host's share of the tail update in each step.
struct HostShare {
  double first = 0;      ///< to begin with, 0 to 1
  bool follows = false;  ///< then as the times of host and device say; else it stays
};

/// The share with which a host of this rate ends together with the device (Ma et al., 2010): rates
/// in any unit. Pure.
double balanced_share(double host_rate, double device_rate);

/// Rates that were measured before a run: of products, GFLOP/s, and of copies one way while both
/// are busy, GB/s; 0: unknown.
struct HybridRates {
  double device_alone = 0;   ///< while columns are copied as in a run
  double device_beside = 0;  ///< the same while the host computes too
  double host_beside = 0;    ///< of the host meanwhile
  double copies_alone = 0, copies_beside = 0;
};
/// The load of a run on a rank whose host takes no part.
struct HybridLoad {
  double flops = 0;        ///< of tail updates
  double bytes = 0;        ///< of columns, one way
  double panel_bytes = 0;  ///< more, where the host takes part: it needs the panels
};
/// The first share by these rates; 0 where device and host together are hardly faster than the
/// device alone: the host has few cores to spare, its memory none of its bandwidth, or copies are
/// what the run waits for. Pure.
double first_share(const HybridRates& rates, const HybridLoad& load);

/// Divides the columns that visit the device between device and host, step by step, while the
/// factorization runs. A *round* is the tail update of a step: the visits that end with it, from
/// the right, are the device's, and the first columns from the left the host's, so many that both
/// end together. Where both ends meet a visit is divided between the two.
///
/// The share follows the last round that both have done (Yang et al., 2010), unless they ended
/// within a threshold of each other (Li et al.). What a share leaves over, because columns are
/// counted in sixteens, goes to the next round.
///
/// A share that follows is put to the test: some rounds without the host, then as many with it.
/// Unless these were faster it is nothing from then on.
///
/// The next round to be decided follows from the order of tasks alone: without `follows`, all
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

  /// Whether the host may still need the panel of a step.
  bool host_needs(std::int64_t step) const;

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
    double work = 0;    // of both
    double volume = 0;  // the same, times rows
    bool decided = false;
    double host_work = 0, host_seconds = 0;
    std::int64_t host_tasks = 0;  // not yet done
    std::optional<double> host_end, device_end;
    double longer_seconds = 0, apart_seconds = 0;
  };

  /// Rounds from `first` on, `count` of them.
  struct Span {
    std::size_t first = 0, count = 0;

    std::size_t end() const { return first + count; }
    bool contains(std::size_t number) const { return first <= number && number < end(); }
  };

  void decide(std::size_t number);
  /// Once both are through with a round.
  void compare(std::size_t number);
  void judge();
  bool is_done(std::size_t number) const {
    return rounds_[number].host_end && rounds_[number].device_end;
  }
  double end_of(std::size_t number) const {
    return std::max(*rounds_[number].host_end, *rounds_[number].device_end);
  }
  double rate_of(const Span& span) const;

  HostShare policy_;
  mutable std::mutex mutex_;
  std::vector<Visit> visits_;
  std::vector<Round> rounds_;
  std::size_t next_of_device_ = 0;  // round
  double share_;
  Span without_, with_;       // of the test; empty: there is none
  int trials_ = 4;            // of the share, at most, until it has settled
  bool given_up_ = false;     // by the test
  std::int64_t needed_ = -1;  // the last step of a round in which the host has work
  double owed_ = 0;           // to the host: work that the rounds so far left over
  HostWork work_;
};

}  // namespace hpl
