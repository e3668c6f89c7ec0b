#include "hpl/lu/schedule/work_division.h"

#include <algorithm>
#include <cmath>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

/// Products of fewer columns are slow, and those of a GPU want a multiple of sixteen.
constexpr std::int64_t kGrain = 16;
constexpr std::int64_t kFewestColumns = 32;

/// Ends that lie no further apart, in parts of the longer time, leave the share as it is.
constexpr double kThreshold = 0.05;
/// One odd step must not turn the division over: the share changes by this factor at most.
constexpr double kMostChange = 2;

/// A run has at least so many times the rounds of a part of the test.
constexpr std::size_t kWorthATest = 8;

/// The test is of a share that has settled, as far as it does in so many trials: ends lie no
/// further apart than this part of the longer time.
constexpr double kSettled = 0.25;

/// Less is within what rates differ by from one second to the next.
constexpr double kWorthwhile = 1.01;

}  // namespace

double balanced_share(double host_rate, double device_rate) {
  return host_rate > 0 ? host_rate / (host_rate + std::max(device_rate, 0.0)) : 0;
}

double first_share(const HybridRates& rates, const HybridLoad& load) {
  const double share = balanced_share(rates.host_beside, rates.device_beside);
  // The longer of the two hides the other.
  const auto seconds = [](double flops, double gflops, double bytes, double gbytes) {
    return std::max(flops / gflops, gbytes > 0 ? bytes / gbytes : 0);
  };
  const double alone = seconds(load.flops, rates.device_alone, load.bytes, rates.copies_alone);
  const double left = 1 - share;
  const double together = seconds(left * load.flops, rates.device_beside,
                                  left * load.bytes + load.panel_bytes, rates.copies_beside);
  return kWorthwhile * together < alone ? share : 0;
}

WorkDivision::WorkDivision(const Schedule& schedule, const HostShare& share)
    : policy_(share), share_(share.first) {
  work_.first_share = share.first;
  std::int64_t end = 0;
  for (const Task& task : schedule.tasks())
    end = std::max(end, task.step + 1);
  bool offers = false;  // the last task was one of the host
  for (const Task& task : schedule.tasks()) {
    if (task.kind == TaskKind::HostUpdate) {
      if (!offers) rounds_.push_back({.first_visit = visits_.size()});
      Round& round = rounds_.back();
      const auto number = static_cast<std::size_t>(task.visit);
      if (number == visits_.size()) {
        visits_.push_back({.round = rounds_.size() - 1, .columns = task.columns.count});
        ++round.visits;
      }
      HPL_ASSERT(number + 1 == visits_.size());
      ++visits_.back().steps;
      ++round.host_tasks;
      round.step = std::max(round.step, task.step);
    } else if (task.kind == TaskKind::Update) {
      work_.all_work += static_cast<double>(task.columns.count);
      if (!rounds_.empty()) {
        Round& round = rounds_.back();
        round.work += static_cast<double>(task.columns.count);
        round.volume += static_cast<double>(task.columns.count * (end - task.step));
      }
    }
    offers = task.kind == TaskKind::HostUpdate;
  }
  if (!share.follows || share.first <= 0) return;
  // Visits repeat after so many rounds. The first rounds differ from the others, and the rounds
  // behind the test are to be worth it.
  std::int64_t period = 1;
  for (const Visit& visit : visits_)
    period = std::max(period, visit.steps);
  const auto rounds = static_cast<std::size_t>(period);
  if (rounds_.size() < kWorthATest * rounds) return;
  without_ = {rounds, rounds};
  with_ = {2 * rounds, rounds};
}

ColumnRange WorkDivision::part(const Task& task) {
  if (task.visit == kNotDivided) return task.columns;
  const std::lock_guard lock(mutex_);
  const Visit& visit = visits_[static_cast<std::size_t>(task.visit)];
  decide(visit.round);
  const LocalColumn begin = task.columns.begin;
  if (task.worker == Worker::Host) return {begin, visit.of_host};
  return {{begin.value + visit.of_host}, visit.columns - visit.of_host};
}

void WorkDivision::decide(std::size_t number) {
  Round& round = rounds_[number];
  if (round.decided) return;
  round.decided = true;
  if (given_up_ || without_.contains(number)) return;
  double most = 0;
  for (std::size_t i = 0; i < round.visits; ++i) {
    const Visit& visit = visits_[round.first_visit + i];
    most += static_cast<double>(visit.steps * visit.columns);
  }
  // Work that cannot be taken now is not kept for later: then there may be less than now.
  owed_ = std::min(owed_ + share_ * round.work, most);
  for (std::size_t i = 0; i < round.visits; ++i) {
    Visit& visit = visits_[round.first_visit + i];
    const auto steps = static_cast<double>(visit.steps);
    if (owed_ < steps * static_cast<double>(std::min(kFewestColumns, visit.columns))) break;
    const auto wanted = static_cast<std::int64_t>(owed_ / steps);
    visit.of_host = wanted >= visit.columns ? visit.columns : wanted / kGrain * kGrain;
    round.host_work += steps * static_cast<double>(visit.of_host);
    owed_ -= steps * static_cast<double>(visit.of_host);
    if (visit.of_host < visit.columns) break;
  }
  if (round.host_work > 0) needed_ = std::max(needed_, round.step);
}

bool WorkDivision::host_needs(std::int64_t step) const {
  const std::lock_guard lock(mutex_);
  return !given_up_ || step <= needed_;
}

double WorkDivision::rate_of(const Span& span) const {
  double volume = 0;
  for (std::size_t i = span.first; i < span.end(); ++i)
    volume += rounds_[i].volume;
  return volume / (end_of(span.end() - 1) - end_of(span.first - 1));
}

/// Once the rounds of the test are done. Rates fall as the matrix gets smaller: in doubt the host
/// is given up.
void WorkDivision::judge() {
  if (with_.count == 0) return;
  for (std::size_t i = without_.first - 1; i < with_.end(); ++i)
    if (!is_done(i)) return;
  double longer = 0, apart = 0;
  for (std::size_t i = with_.first; i < with_.end(); ++i) {
    longer += rounds_[i].longer_seconds;
    apart += rounds_[i].apart_seconds;
  }
  if (apart > kSettled * longer && --trials_ > 0) {
    with_.first += with_.count;
    return;
  }
  given_up_ = rate_of(with_) <= rate_of(without_);
  if (given_up_) {
    work_.given_up = 1;
    work_.last_share = 0;
  }
  with_.count = without_.count = 0;
}

void WorkDivision::host_did(const Task& task, double seconds, double flops, double now) {
  const std::lock_guard lock(mutex_);
  const std::size_t number = visits_[static_cast<std::size_t>(task.visit)].round;
  Round& round = rounds_[number];
  round.host_seconds += seconds;
  work_.seconds += seconds;
  work_.flops += flops;
  if (--round.host_tasks > 0) return;
  round.host_end = now;
  work_.work += round.host_work;
  compare(number);
  judge();
}

void WorkDivision::device_did(std::int64_t step, double now) {
  const std::lock_guard lock(mutex_);
  while (next_of_device_ < rounds_.size() && rounds_[next_of_device_].step <= step) {
    rounds_[next_of_device_].device_end = now;
    compare(next_of_device_++);
    judge();
  }
}

void WorkDivision::compare(std::size_t number) {
  Round& round = rounds_[number];
  if (number == 0 || !round.host_end || !round.device_end || !(round.host_work > 0)) return;
  const Round& before = rounds_[number - 1];
  if (!before.host_end || !before.device_end) return;
  // The device may have had to wait for the host: that is no time of its own.
  const double device_seconds = *round.device_end - std::max(*before.device_end, *before.host_end);
  const double host_seconds = round.host_seconds;
  if (!(device_seconds > 0) || !(host_seconds > 0)) return;
  const double longer = std::max(device_seconds, host_seconds);
  const double apart = std::abs(device_seconds - host_seconds);
  round.longer_seconds = longer;
  round.apart_seconds = apart;
  work_.step_seconds += longer;
  work_.apart_seconds += apart;
  if (!given_up_) work_.last_share = round.host_work / round.work;
  if (!policy_.follows || apart <= kThreshold * longer) return;
  const double share = balanced_share(round.host_work / host_seconds,
                                      (round.work - round.host_work) / device_seconds);
  share_ = std::clamp(share, share_ / kMostChange, share_ * kMostChange);
}

HostWork WorkDivision::work() const {
  const std::lock_guard lock(mutex_);
  return work_;
}

}  // namespace hpl
