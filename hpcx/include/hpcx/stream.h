#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "hpcx/event.h"

namespace hpcx {

class Device;

/// Work of a High stream goes before work of a Normal one wherever both could run.
enum class Priority { Normal, High };

/// `height` lines of `width` bytes each; the pitch is the distance in bytes between the starts of
/// neighbouring lines, at least `width`. Source and destination do not overlap.
struct StridedCopy {
  void* destination = nullptr;
  std::size_t destination_pitch = 0;
  const void* source = nullptr;
  std::size_t source_pitch = 0;
  std::size_t width = 0;
  std::size_t height = 0;
};

/// A back end's part of a stream. All calls are asynchronous unless they say otherwise.
class StreamState {
 public:
  virtual ~StreamState() = default;
  virtual Device& device() const = 0;
  virtual Event record() = 0;
  virtual void wait(const Event& event) = 0;
  virtual void synchronize() = 0;
  virtual void copy_2d(const StridedCopy& lines) = 0;
  virtual void host_task(std::function<void()> task) = 0;
};

/// Borrows a stream: what operations take as their first argument.
class StreamRef {
 public:
  explicit StreamRef(StreamState& state) : state_(&state) {}

  Device& device() const { return state_->device(); }
  /// The point after everything enqueued so far.
  Event record() const { return state_->record(); }
  /// Work enqueued from now on starts after `event`, which may belong to another stream of the
  /// device.
  void wait(const Event& event) const {
    if (!event.empty()) state_->wait(event);
  }
  /// Blocks the calling thread (sleeping) until the stream is empty; throws what failed in it.
  void synchronize() const { state_->synchronize(); }
  /// Contiguous bytes between any two of host, pinned and device memory.
  void copy(void* destination, const void* source, std::size_t bytes) const {
    state_->copy_2d({destination, bytes, source, bytes, bytes, 1});
  }
  /// Lines of bytes between any two of host, pinned and device memory. What lies between the lines
  /// stays as it is. Copies of matrices: copy.h.
  void copy_2d(const StridedCopy& lines) const { state_->copy_2d(lines); }
  /// Runs `task` on the host in the stream's order. Only where no event will do: on a GPU the task
  /// must not call the device.
  void host_task(std::function<void()> task) const { state_->host_task(std::move(task)); }
  StreamState& state() const { return *state_; }

 private:
  StreamState* state_;
};

/// Owns a stream. Operations of one stream run in the order in which they were enqueued.
class Stream {
 public:
  explicit Stream(std::unique_ptr<StreamState> state) : state_(std::move(state)) {}
  operator StreamRef() const { return StreamRef(*state_); }
  StreamRef ref() const { return StreamRef(*state_); }

 private:
  std::unique_ptr<StreamState> state_;
};

}  // namespace hpcx
