#pragma once

#include <memory>

namespace hpcx {

/// A back end's record of a point in a stream.
class EventState {
 public:
  virtual ~EventState() = default;
  virtual bool done() const = 0;
  /// Blocks (sleeping) until the point is reached; throws what failed before it.
  virtual void synchronize() = 0;
  /// Seconds from `earlier` to this; both reached.
  virtual double seconds_since(const EventState& earlier) const = 0;
};

/// A point in the order of one stream. A value: copies name the same point, which never moves
/// (recording makes a new event), so that messages between threads can carry it without hazard.
/// An empty event is one that has happened already.
class Event {
 public:
  Event() = default;
  explicit Event(std::shared_ptr<EventState> state) : state_(std::move(state)) {}

  bool empty() const { return state_ == nullptr; }
  bool done() const { return state_ == nullptr || state_->done(); }
  void synchronize() const {
    if (state_ != nullptr) state_->synchronize();
  }
  /// Seconds between two reached points of streams of one device.
  double seconds_since(const Event& earlier) const {
    return state_->seconds_since(*earlier.state_);
  }
  EventState* state() const { return state_.get(); }
  const std::shared_ptr<EventState>& shared_state() const { return state_; }

 private:
  std::shared_ptr<EventState> state_;
};

}  // namespace hpcx
