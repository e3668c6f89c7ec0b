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
  /// Seconds from `earlier` to this, negative if `earlier` is the later one; both reached. A GPU's
  /// runtime counts them in milliseconds of type float, exact to 2^-25 of their value.
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
  /// Seconds between two reached points of streams of one device, as in EventState.
  double seconds_since(const Event& earlier) const {
    return state_->seconds_since(*earlier.state_);
  }
  EventState* state() const { return state_.get(); }
  const std::shared_ptr<EventState>& shared_state() const { return state_; }

 private:
  std::shared_ptr<EventState> state_;
};

/// Seconds of events since one of them, over days: a difference of a day is rounded to 8 ms by
/// EventState. The clock adds up short differences in double precision: it counts from a reference
/// event, which moves on with the events that are read. Events read in about the order of their
/// times are exact to nanoseconds among neighbours, to microseconds over a day. Not thread-safe.
class EventClock {
 public:
  EventClock() = default;
  explicit EventClock(Event zero) : reference_(std::move(zero)) {}

  /// Seconds from the zero to `event`, of a stream of the same device; both reached.
  double seconds(const Event& event) {
    const double since = event.seconds_since(reference_);
    const double seconds = reference_seconds_ + since;
    // Rounding is random: its sum grows like the square root of the distance of the references.
    constexpr double kReach = 0.125;
    if (since > kReach) {
      reference_ = event;
      reference_seconds_ = seconds;
    }
    return seconds;
  }

 private:
  Event reference_;
  double reference_seconds_ = 0;
};

}  // namespace hpcx
