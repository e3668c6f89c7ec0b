#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "hpl/base/result/timeline.h"
#include "hpl/lu/schedule/task.h"

namespace hpl {

/// A stretch of time in which a rank was busy with something, or waited for others who were.
struct Activity {
  Phase phase = Phase::Multiply;
  std::int64_t step = 0;
  double begin = 0, end = 0;
};

/// The time line of one rank: when each worker's stream is through with what it has, and what goes
/// on beside the products.
class RankClock {
 public:
  double free_at(Worker worker) const { return end_[static_cast<std::size_t>(worker)]; }
  void set(Worker worker, double end) { end_[static_cast<std::size_t>(worker)] = end; }
  /// One thread does all: what is no product is exposed.
  void set_all(std::int64_t step, double end) {
    expose(step, free_at(Worker::Update), end);
    end_.fill(end);
  }

  /// Something that takes `1 - kept` of the product's rate while it lasts.
  void beside_product(Activity activity, double kept) {
    remember(activity);
    double& update = end_[static_cast<std::size_t>(Worker::Update)];
    // What is known of products already is put off by what they lose.
    const double overlap = std::min(activity.end, update) - std::max(activity.begin, busy_from_);
    if (overlap > 0) {
      if (kept == 0) put_off_losses(update, overlap);
      update += (1 - kept) * overlap;
      busy_[Phase::Multiply] += (1 - kept) * overlap;
    }
    if (activity.end > update)
      losses_[losses_next_++ % losses_.size()] = {std::max(activity.begin, update), activity.end,
                                                  1 - kept};
  }
  void remember(Activity activity) { recent_[recent_next_++ % recent_.size()] = activity; }

  /// A product that begins when `ready` and takes `seconds` alone. Returns its end.
  double multiply(std::int64_t step, double ready, double seconds) {
    double& update = end_[static_cast<std::size_t>(Worker::Update)];
    if (ready > update) {
      expose(step, update, ready);
      update = busy_from_ = ready;
    }
    const double begin = update;
    double end = begin + seconds;
    // What runs beside it takes its share; the longer it lasts, the more of it is beside.
    for (int round = 0; round < 2; ++round) {
      double lost = 0;
      for (const Loss& loss : losses_)
        if (loss.share < 1)
          lost += loss.share * std::max(0.0, std::min(loss.end, end) - std::max(loss.begin, begin));
      end = begin + seconds + std::min(lost, 20 * seconds);
    }
    end = after_interruptions(begin, end);
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
  struct Loss {
    double begin = 0, end = 0, share = 0;
  };
  static constexpr std::size_t kLosses = 6;

  /// What has the whole core puts off what was to follow the products.
  void put_off_losses(double from, double seconds) {
    for (Loss& loss : losses_)
      if (loss.end > from) {
        loss.begin += seconds;
        loss.end += seconds;
      }
  }

  /// What has the whole core interrupts a product to its end, and meanwhile more of it may come.
  double after_interruptions(double begin, double end) const {
    std::array<bool, kLosses> over{};
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < kLosses; ++i) {
        const Loss& loss = losses_[i];
        if (over[i] || loss.share < 1 || loss.begin >= end || loss.end <= begin) continue;
        end += loss.end - std::max(loss.begin, begin);
        over[i] = again = true;
      }
    }
    return end;
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
  double busy_from_ = 0;
  std::array<Activity, 32> recent_{};
  std::array<Loss, kLosses> losses_{};
  std::size_t recent_next_ = 0, losses_next_ = 0;
  PhaseTimes busy_, exposed_;
  double waiting_ = 0;
};

}  // namespace hpl
