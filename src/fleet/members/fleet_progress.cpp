#include "fleet_progress.h"

#include <algorithm>
#include <chrono>
#include <ostream>
#include <span>
#include <utility>

#include <fmt/format.h>
#include "hpl/base/text/quantity.h"

namespace hpl {

namespace {

constexpr int kProgressTag = 0;
/// Between the messages of a member, and between looks at what has come.
constexpr double kSampleSeconds = 1;

}  // namespace

FleetProgress::FleetProgress(const mpi::Communicator& world, std::ostream& out,
                             const LiveView& view)
    : comm_(world.dup()), out_(out), view_(view) {}

void FleetProgress::begin(int round, std::vector<std::string> names, std::optional<int> mine) {
  round_ = round;
  mine_ = mine;
  if (comm_.rank() != 0) return;
  last_.assign(names.size(), {});
  board_.emplace(names);
  names_ = std::move(names);
}

void FleetProgress::begin_run(std::int64_t order, int ranks, const std::string& label) {
  order_ = order;
  next_ = kSampleSeconds;
  if (comm_.rank() == 0)
    progress_.emplace(
        out_, ProgressOptions{.order = order, .ranks = ranks, .label = label, .view = view_});
}

void FleetProgress::step(const StepRecord& record) {
  if (progress_) progress_->update(record);
  if (!mine_ || record.seconds < next_) return;
  next_ = record.seconds + kSampleSeconds;
  const ProgressEstimate now = estimate(order_, record.columns_done, record.seconds);
  const Sample sample{
      .round = round_, .member = *mine_, .fraction = now.fraction, .gflops = now.gflops};
  if (comm_.rank() != 0) {
    if (sending_.test()) send(sample);
    return;
  }
  put(sample);
  receive();
  if (progress_) progress_->show_ranks(board_->fields());
}

void FleetProgress::end_run() {
  if (progress_) progress_->finish();
  progress_.reset();
}

void FleetProgress::finish(const std::function<void()>& meanwhile) {
  if (mine_) {
    sending_.wait(mpi::WaitPolicy::sleeping());
    const Sample sample{.round = round_, .member = *mine_, .through = 1};
    if (comm_.rank() == 0) {
      put(sample);
    } else {
      send(sample);
      sending_.wait(mpi::WaitPolicy::sleeping());
    }
  }
  if (comm_.rank() != 0) return;
  using Clock = std::chrono::steady_clock;
  const bool drawn = view_.form == LiveForm::Drawn;
  constexpr std::chrono::seconds kPatience{2}, kBetweenLines{30};
  Clock::time_point next = Clock::now() + kPatience;
  StatusLine line(out_, drawn ? view_ : LiveView{LiveForm::Lines});
  mpi::wait_until(mpi::WaitPolicy::sleeping(), [&] {
    receive();
    meanwhile();
    if (std::ranges::all_of(last_, [](const Sample& sample) { return sample.through != 0; }))
      return true;
    if (Clock::now() >= next) {
      line.show(waiting_text());
      next = Clock::now() + (drawn ? std::chrono::seconds(1) : kBetweenLines);
    }
    return false;
  });
}

void FleetProgress::send(const Sample& sample) {
  sending_sample_ = sample;
  sending_.isend(comm_, std::as_bytes(std::span(&sending_sample_, 1)), 0, kProgressTag);
}

bool FleetProgress::receive() {
  bool any = false;
  for (Sample sample;
       mpi::receive_arrived(comm_, std::as_writable_bytes(std::span(&sample, 1)), kProgressTag);)
    any = put(sample) || any;
  return any;
}

bool FleetProgress::put(const Sample& sample) {
  if (sample.round != round_ || sample.member < 0 || sample.member >= std::ssize(last_))
    return false;
  last_[sample.member] = sample;
  board_->put({.rank = sample.member, .gflops = sample.gflops});
  return true;
}

std::string FleetProgress::waiting_text() const {
  constexpr int kShown = 4;
  std::string text;
  int left = 0;
  for (std::size_t member = 0; member < last_.size(); ++member) {
    const Sample& sample = last_[member];
    if (sample.through != 0 || ++left > kShown) continue;
    text += fmt::format("{}{} ({:.0f} %, {})", text.empty() ? "" : ", ", names_[member],
                        100 * sample.fraction, rate_text(sample.gflops));
  }
  if (left > kShown) text += fmt::format(" and {} more", left - kShown);
  return fmt::format("round {}: {} of {} members have finished, still running: {}", round_ + 1,
                     std::ssize(last_) - left, last_.size(), text);
}

}  // namespace hpl
