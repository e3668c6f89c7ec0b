#include "hpl/lu/pipeline/recorder.h"

#include "hpcx/thread.h"
#include "hpl/base/error/error.h"

namespace hpl {

namespace {

void count(const Span& span, ProductWork& work) {
  if (!(span.flops > 0)) return;
  work.flops += span.flops;
  work.seconds += span.end - span.begin;
}

}  // namespace

Recorder::Recorder(hpcx::StreamRef stream) {
  restart(stream);
}

void Recorder::restart(hpcx::StreamRef stream) {
  // Before the event, whose wait may wake up late: the streams' times are then never ahead of the
  // host's.
  start_ = Clock::now();
  const hpcx::Event zero = stream.record();
  // Nothing is ahead of it: it is done before a thread could sleep and wake up.
  constexpr int kLooks = 100;
  for (int look = 0; look < kLooks && !zero.done(); ++look)
    hpcx::pause_core();
  zero.synchronize();
  stream_clock_ = hpcx::EventClock(zero);
}

void Recorder::add(const Span& span) {
  std::lock_guard lock(mutex_);
  spans_.push_back(span);
  count(span, products_);
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
  span.begin = stream_clock_.seconds(pending.begin);
  span.end = stream_clock_.seconds(pending.end);
  spans_.push_back(span);
  count(span, products_);
}

ProductWork Recorder::products_so_far() {
  std::lock_guard lock(mutex_);
  return products_;
}

ProductWork Recorder::products(const std::vector<Span>& spans) {
  ProductWork work;
  for (const Span& span : spans)
    count(span, work);
  return work;
}

std::vector<Span> Recorder::take_spans() {
  std::lock_guard lock(mutex_);
  for (const Pending& pending : pending_)
    resolve(pending);
  pending_.clear();
  return std::move(spans_);
}

PhaseTimes Recorder::totals(const std::vector<Span>& spans) {
  PhaseTimes times;
  for (const Span& span : spans)
    if (is_stream(span.track) || !is_work_of_a_stream(span.phase))
      times[span.phase] += span.end - span.begin;
  return times;
}

}  // namespace hpl
