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

/// Less is within what rates differ by from one second to the next.
constexpr double kWorthwhile = 1.01;

}  // namespace

double balanced_share(double host_rate, double device_rate) {
  return host_rate > 0 ? host_rate / (host_rate + std::max(device_rate, 0.0)) : 0;
}

double first_share(const HybridRates& rates) {
  const double together = rates.device_beside + rates.host_beside;
  if (!(together > kWorthwhile * rates.device_alone)) return 0;
  return balanced_share(rates.host_beside, rates.device_beside);
}

WorkDivision::WorkDivision(const Schedule& schedule, const HostShare& share)
    : policy_(share), share_(share.first) {
  work_.first_share = share.first;
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
      if (!rounds_.empty()) rounds_.back().work += static_cast<double>(task.columns.count);
    }
    offers = task.kind == TaskKind::HostUpdate;
  }
}

ColumnRange WorkDivision::part(const Task& task) {
  if (task.visit == kNotDivided) return task.columns;
  const std::lock_guard lock(mutex_);
  const Visit& visit = visits_[static_cast<std::size_t>(task.visit)];
  decide(rounds_[visit.round]);
  const LocalColumn begin = task.columns.begin;
  if (task.worker == Worker::Host) return {begin, visit.of_host};
  return {{begin.value + visit.of_host}, visit.columns - visit.of_host};
}

void WorkDivision::decide(Round& round) {
  if (round.decided) return;
  round.decided = true;
  double most = 0;
  for (std::size_t i = 0; i < round.visits; ++i) {
    const Visit& visit = visits_[round.first_visit + i];
    most += static_cast<double>(visit.steps * visit.columns);
  }
  // What cannot be taken now is not for later: then there may be less than now.
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
}

void WorkDivision::device_did(std::int64_t step, double now) {
  const std::lock_guard lock(mutex_);
  while (next_of_device_ < rounds_.size() && rounds_[next_of_device_].step <= step) {
    rounds_[next_of_device_].device_end = now;
    compare(next_of_device_++);
  }
}

void WorkDivision::compare(std::size_t number) {
  const Round& round = rounds_[number];
  if (number == 0 || !round.host_end || !round.device_end || !(round.host_work > 0)) return;
  const Round& before = rounds_[number - 1];
  if (!before.host_end || !before.device_end) return;
  // The device may have had to wait for the host: that is no time of its own.
  const double device_seconds = *round.device_end - std::max(*before.device_end, *before.host_end);
  const double host_seconds = round.host_seconds;
  if (!(device_seconds > 0) || !(host_seconds > 0)) return;
  const double longer = std::max(device_seconds, host_seconds);
  const double apart = std::abs(device_seconds - host_seconds);
  work_.step_seconds += longer;
  work_.apart_seconds += apart;
  work_.last_share = round.host_work / round.work;
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
