#include "hpl/comm/mpi/schedule.h"

#include <algorithm>
#include <utility>

#include "hpl/base/error/error.h"

namespace hpl::mpi {
namespace {

using Direction = Message::Direction;

struct Received {
  std::int64_t begin, end;
  std::size_t stage;
};

std::vector<Received> receives_by_offset(const Schedule& schedule) {
  std::vector<Received> receives;
  for (std::size_t stage = 0; stage < schedule.size(); ++stage)
    for (const Message& message : schedule[stage].messages)
      if (message.direction == Direction::Receive && message.bytes > 0)
        receives.push_back({message.offset, message.offset + message.bytes, stage});
  std::sort(receives.begin(), receives.end(),
            [](const Received& a, const Received& b) { return a.begin < b.begin; });
  return receives;
}

}  // namespace

Schedule in_pieces(const Schedule& schedule, std::int64_t bytes) {
  HPL_ASSERT(bytes > 0);
  Schedule cut;
  for (const Stage& stage : schedule) {
    cut.push_back({.messages = {}, .after_sends = stage.after_sends});
    for (Message message : stage.messages) {
      const std::int64_t end = message.offset + message.bytes;
      do {
        message.bytes = std::min(bytes, end - message.offset);
        cut.back().messages.push_back(message);
        message.offset += message.bytes;
      } while (message.offset < end);
    }
  }
  return cut;
}

bool receives_may_start_early(const Schedule& schedule) {
  const std::vector<Received> receives = receives_by_offset(schedule);
  for (std::size_t i = 1; i < receives.size(); ++i)
    if (receives[i].begin < receives[i - 1].end) return false;

  for (std::size_t stage = 0; stage < schedule.size(); ++stage) {
    for (const Message& message : schedule[stage].messages) {
      if (message.direction == Direction::Receive || message.bytes == 0) continue;
      auto receive = std::upper_bound(
          receives.begin(), receives.end(), message.offset,
          [](std::int64_t offset, const Received& other) { return offset < other.end; });
      for (; receive != receives.end() && receive->begin < message.offset + message.bytes;
           ++receive)
        if (receive->stage >= stage) return false;
    }
  }
  return true;
}

ScheduleRun::ScheduleRun(const Communicator& comm, Schedule schedule, std::span<std::byte> buffer,
                         int tag)
    : comm_(&comm),
      schedule_(std::move(schedule)),
      buffer_(buffer),
      tag_(tag),
      receives_(schedule_.size()),
      early_(receives_may_start_early(schedule_)) {
  for (const Stage& stage : schedule_)
    for (const Message& message : stage.messages)
      HPL_ASSERT(message.offset >= 0 && message.bytes >= 0 &&
                 message.offset + message.bytes <= std::ssize(buffer_));
}

void ScheduleRun::post(const Message& message, RequestSet& requests) {
  const auto part = buffer_.subspan(static_cast<std::size_t>(message.offset),
                                    static_cast<std::size_t>(message.bytes));
  if (message.direction == Direction::Send) {
    requests.isend(*comm_, part, message.peer, tag_);
  } else {
    requests.irecv(*comm_, part, message.peer, tag_);
  }
}

void ScheduleRun::enter_stage(std::size_t index) {
  stage_ = index;
  const std::vector<Message>& messages = schedule_[index].messages;
  if (!early_)
    for (const Message& message : messages)
      if (message.direction == Direction::Receive) post(message, receives_[index]);
  for (const Message& message : messages)
    if (message.direction == Direction::Send) post(message, sends_);
}

void ScheduleRun::start() {
  HPL_ASSERT(!started_);
  started_ = true;
  done_ = schedule_.empty();
  if (done_) return;
  if (early_)
    for (std::size_t stage = 0; stage < schedule_.size(); ++stage)
      for (const Message& message : schedule_[stage].messages)
        if (message.direction == Direction::Receive) post(message, receives_[stage]);
  enter_stage(0);
}

bool ScheduleRun::progress() {
  HPL_ASSERT(started_);
  if (done_) return true;
  while (receives_[stage_].test()) {
    if (stage_ + 1 == schedule_.size()) return done_ = sends_.test();
    if (schedule_[stage_ + 1].after_sends && !sends_.test()) return false;
    enter_stage(stage_ + 1);
  }
  return false;
}

void ScheduleRun::wait(const WaitPolicy& policy) {
  if (!started_) start();
  Waiter waiter(policy);
  for (std::size_t before = stage_; !progress(); before = stage_) {
    if (stage_ != before) waiter.progressed();
    waiter.pause();
  }
}

}  // namespace hpl::mpi
