#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>

#include "hpl/base/result/timeline.h"
#include "hpl/lu/schedule/task.h"

namespace hpl {

/// Seconds since the start of the run.
struct Period {
  double begin = 0, end = 0;

  double seconds() const { return end - begin; }
};

/// An interval in which a rank was busy with something, or waited for others who were.
struct Activity {
  Phase phase = Phase::Multiply;
  std::int64_t step = 0;
  double begin = 0, end = 0;
};

/// The time line of one rank: when each worker's stream is through with what it has, and what
/// interferes with the products.
class RankClock {
 public:
  double free_at(Worker worker) const { return end_[static_cast<std::size_t>(worker)]; }
  void set(Worker worker, double end) { end_[static_cast<std::size_t>(worker)] = end; }
  /// One thread does all: what is no product is exposed.
  void set_all(std::int64_t step, double end) {
    expose(step, free_at(Worker::Update), end);
    end_.fill(end);
  }

  /// Work that leaves products `fraction` of their rate while it lasts.
  void interfere(Activity activity, double fraction) {
    remember(activity);
    double& update = end_[static_cast<std::size_t>(Worker::Update)];
    // The known end of products is put off by their loss.
    const double overlap = std::min(activity.end, update) - std::max(activity.begin, busy_since_);
    if (overlap > 0) {
      if (fraction == 0) put_off_interferences(update, overlap);
      update += (1 - fraction) * overlap;
      busy_[Phase::Multiply] += (1 - fraction) * overlap;
    }
    if (activity.end > update)
      interferences_[next_interference_++ % interferences_.size()] = {
          std::max(activity.begin, update), activity.end, 1 - fraction};
  }
  void remember(Activity activity) { recent_[next_recent_++ % recent_.size()] = activity; }

  /// A product that begins when `ready` and takes `seconds` alone. Returns its end.
  double multiply(std::int64_t step, double ready, double seconds) {
    double& update = end_[static_cast<std::size_t>(Worker::Update)];
    if (ready > update) {
      expose(step, update, ready);
      update = busy_since_ = ready;
    }
    const double begin = update;
    double end = begin + seconds;
    // The longer a product lasts, the more of an interference is beside it. After two rounds the
    // end moves by less than the rates are uncertain.
    for (int round = 0; round < 2; ++round) {
      double lost = 0;
      for (const Interference& other : interferences_)
        if (other.loss < 1)
          lost +=
              other.loss * std::max(0.0, std::min(other.end, end) - std::max(other.begin, begin));
      end = begin + seconds + std::min(lost, kMostSlowdown * seconds);
    }
    end = after_interruptions({begin, end});
    busy_[Phase::Multiply] += end - begin;
    return update = end;
  }
  /// Nothing more to multiply: what follows is exposed.
  void finish(double end) {
    expose(std::numeric_limits<std::int64_t>::max(), free_at(Worker::Update), end);
  }
  void add_busy(Phase phase, double seconds) { busy_[phase] += seconds; }

  const PhaseTimes& busy() const { return busy_; }
  const PhaseTimes& exposed() const { return exposed_; }
  double waiting() const { return waiting_; }

 private:
  /// Products lose this fraction of their rate; 1: they are interrupted.
  struct Interference {
    double begin = 0, end = 0, loss = 0;
  };
  /// A panel, a broadcast, an exchange of rows, a solve and two copies are beside a product at
  /// most.
  static constexpr std::size_t kInterferences = 6;
  /// Activities that a pause may be traced back to: those of the last steps.
  static constexpr std::size_t kRecent = 32;
  /// Of a product, in multiples of its time alone: one that interferences stop still ends.
  static constexpr double kMostSlowdown = 20;

  /// Work that has the whole core puts off the successors of the products.
  void put_off_interferences(double from, double seconds) {
    for (Interference& other : interferences_)
      if (other.end > from) {
        other.begin += seconds;
        other.end += seconds;
      }
  }

  /// Work that has the whole core interrupts a product to its end, and meanwhile more of it may
  /// come.
  double after_interruptions(Period product) const {
    std::array<bool, kInterferences> over{};
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < kInterferences; ++i) {
        const Interference& other = interferences_[i];
        if (over[i] || other.loss < 1 || other.begin >= product.end || other.end <= product.begin)
          continue;
        product.end += other.end - std::max(other.begin, product.begin);
        over[i] = again = true;
      }
    }
    return product.end;
  }

  /// No product runs, and those of this step are next: by what they waited for, from the last back
  /// to the first. What belongs to later steps they did not wait for.
  void expose(std::int64_t step, double from, double to) {
    while (to > from) {
      const Activity* last = nullptr;
      for (const Activity& activity : recent_)
        if (activity.step <= step && activity.begin < to && activity.end > from &&
            (last == nullptr || std::min(activity.end, to) > std::min(last->end, to)))
          last = &activity;
      if (last == nullptr) break;
      const double begin = std::max(last->begin, from), end = std::min(last->end, to);
      waiting_ += to - end;
      exposed_[last->phase] += end - begin;
      to = begin;
    }
    waiting_ += to - from;
  }

  std::array<double, kWorkerCount> end_{};
  double busy_since_ = 0;  // products, without a pause
  std::array<Activity, kRecent> recent_{};
  std::array<Interference, kInterferences> interferences_{};
  std::size_t next_recent_ = 0, next_interference_ = 0;
  PhaseTimes busy_, exposed_;
  double waiting_ = 0;
};

/// The times of a core's workers that share it. A later request may get an earlier time: workers
/// are simulated one after the other.
class CoreCalendar {
 public:
  /// Work that is ready at `ready` and is not interrupted for `seconds` gets the first pause that
  /// holds it. Returns when it begins.
  double reserve(double ready, double seconds) {
    auto next = std::upper_bound(reserved_.begin(), reserved_.end(), ready,
                                 [](double at, const Period& other) { return at < other.end; });
    for (; next != reserved_.end() && ready + seconds > next->begin; ++next)
      ready = next->end;
    reserved_.insert(next, {ready, ready + seconds});
    if (reserved_.size() > kRemembered) reserved_.pop_front();
    return ready;
  }

 private:
  /// More than workers are ahead of each other.
  static constexpr std::size_t kRemembered = 64;

  std::deque<Period> reserved_;  // one after the other
};

/// The deviation of a rank's work from its average time, by chance: the same in every simulation. A
/// rank makes up for its delay, so that none is lucky over a run.
class Jitter {
 public:
  explicit Jitter(int rank) : random_(static_cast<unsigned>(rank)) {}

  /// Seconds, of a piece of work with this standard deviation.
  double next(double deviation) {
    const double more =
        deviation * normal_(random_) - std::clamp(kMadeUp * delay_, -deviation, deviation);
    delay_ += more;
    return more;
  }

 private:
  /// The fraction of its delay that a rank makes up for with the next piece of work.
  static constexpr double kMadeUp = 0.25;

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  double delay_ = 0;  // seconds
};

}  // namespace hpl
