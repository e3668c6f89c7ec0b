#include "hpl/pipeline/recorder.h"

namespace hpl {

Recorder::Recorder(hpcx::StreamRef stream) : zero_(stream.record()) {
  zero_.synchronize();
  start_ = Clock::now();
}

void Recorder::add(const Span& span) {
  std::lock_guard lock(mutex_);
  spans_.push_back(span);
}

void Recorder::add(Span span, hpcx::Event begin, hpcx::Event end) {
  std::lock_guard lock(mutex_);
  pending_.push_back({span, std::move(begin), std::move(end)});
  // Events are a device's resource: give them back as soon as their time is known.
  constexpr std::size_t kKept = 64;
  while (pending_.size() > kKept && pending_.front().end.done()) {
    resolve(pending_.front());
    pending_.pop_front();
  }
}

void Recorder::resolve(const Pending& pending) {
  Span span = pending.span;
  span.begin = pending.begin.seconds_since(zero_);
  span.end = pending.end.seconds_since(zero_);
  spans_.push_back(span);
}

std::vector<Span> Recorder::take_spans() {
  std::lock_guard lock(mutex_);
  for (const Pending& pending : pending_) resolve(pending);
  pending_.clear();
  return std::move(spans_);
}

PhaseTimes Recorder::totals(const std::vector<Span>& spans) {
  PhaseTimes times;
  for (const Span& span : spans) times[span.phase] += span.end - span.begin;
  return times;
}

}  // namespace hpl
