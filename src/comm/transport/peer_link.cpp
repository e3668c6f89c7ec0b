#include "peer_link.h"

#include <span>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

constexpr int kNoticeTag = 0, kAnswerTag = 1;

}  // namespace

PeerLink::EventNames PeerLink::create_events(hpcx::Interconnect& interconnect) {
  EventNames names;
  for (std::size_t i = 0; i < kWindow; ++i) {
    ready_[i] = interconnect.create_event(names.ready[i]);
    done_[i] = interconnect.create_event(names.done[i]);
  }
  return names;
}

void PeerLink::open_events(hpcx::Interconnect& interconnect, const EventNames& names) {
  for (std::size_t i = 0; i < kWindow; ++i) {
    their_ready_[i] = interconnect.import_event(names.ready[i]);
    their_done_[i] = interconnect.import_event(names.done[i]);
  }
}

void PeerLink::wait_for_all(hpcx::StreamRef stream) {
  for (const Events* const events : {&their_ready_, &their_done_})
    for (const auto& event : *events)
      event->wait(stream);
}

bool PeerLink::offer(hpcx::StreamRef stream, const PeerNotice& notice) {
  if (offers_.size() == kWindow) return false;
  ready_[slot(offered_)]->record(stream);
  ++offered_;
  Offer& offer = offers_.emplace_back();
  offer.notice = notice;
  offer.answer.irecv(comm_, {}, peer_, kAnswerTag);
  offer.sent.isend(comm_, std::as_bytes(std::span(&offer.notice, 1)), peer_, kNoticeTag);
  return true;
}

void PeerLink::collect(hpcx::StreamRef stream) {
  while (!offers_.empty() && offers_.front().answer.test() && offers_.front().sent.test()) {
    their_done_[slot(collected())]->wait(stream);
    offers_.pop_front();
  }
}

bool PeerLink::settled() {
  while (!offers_.empty() && offers_.front().answer.test() && offers_.front().sent.test())
    offers_.pop_front();
  while (!answers_.empty() && answers_.front().test())
    answers_.pop_front();
  return offers_.empty() && answers_.empty();
}

void PeerLink::close_events() {
  their_ready_ = {};
  their_done_ = {};
}

std::int64_t PeerLink::expect() {
  Arrival& arrival = arrivals_.emplace_back();
  arrival.request.irecv(comm_, std::as_writable_bytes(std::span(&arrival.notice, 1)), peer_,
                        kNoticeTag);
  return expected_++;
}

const PeerNotice* PeerLink::arrived(std::int64_t number) {
  if (number != expected_ - std::ssize(arrivals_)) return nullptr;  // after others
  return arrivals_.front().request.test() ? &arrivals_.front().notice : nullptr;
}

void PeerLink::take(hpcx::StreamRef stream, void* destination, const void* source) {
  HPL_ASSERT(!arrivals_.empty());
  const std::size_t event = slot(expected_ - std::ssize(arrivals_));
  their_ready_[event]->wait(stream);
  stream.copy(destination, source, static_cast<std::size_t>(arrivals_.front().notice.bytes));
  done_[event]->record(stream);
  arrivals_.pop_front();
  while (!answers_.empty() && answers_.front().test())
    answers_.pop_front();
  answers_.emplace_back().isend(comm_, {}, peer_, kAnswerTag);
}

}  // namespace hpl
