#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <semaphore>
#include <utility>

#include "hpcx/thread.h"

namespace hpl {

/// A first-in first-out queue between threads, bounded and closeable.
///
/// Blocking: push() sleeps while `capacity` items wait, pop() sleeps while none does; neither
/// spins, unless pop() is given time to look: to be woken takes tens of microseconds. Ordering:
/// what a thread did before push() is visible after the pop() that returns the item; items of one
/// producer keep their order. Any number of producers and consumers. Closing: close() wakes
/// everybody; afterwards push() returns false and drops its item, pop() still hands out what is in
/// the queue and then returns an empty optional.
///
///     BoundedQueue<int> queue(2);
///     producer: queue.push(1); queue.close();
///     consumer: while (auto item = queue.pop()) use(*item);
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::ptrdiff_t capacity) : free_(capacity) {}

  bool push(T item) {
    free_.acquire();
    {
      std::lock_guard lock(mutex_);
      if (closed_) {
        free_.release();  // the next sleeping producer finds out as well
        return false;
      }
      items_.push_back(std::move(item));
    }
    filled_.release();
    filled_seen_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  /// Looks for up to `patience` before it sleeps.
  std::optional<T> pop(std::chrono::nanoseconds patience = {}) {
    look_for_item(patience);
    filled_.acquire();
    std::optional<T> item;
    {
      std::lock_guard lock(mutex_);
      if (items_.empty()) {  // woken by close(): pass it on to the next sleeping consumer
        filled_.release();
        return std::nullopt;
      }
      item = std::move(items_.front());
      items_.pop_front();
    }
    filled_seen_.fetch_sub(1, std::memory_order_relaxed);
    free_.release();
    return item;
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return;
      closed_ = true;
    }
    filled_.release();
    filled_seen_.fetch_add(1, std::memory_order_relaxed);
    free_.release();
  }

 private:
  /// Returns when there is something to pop, for another consumer perhaps, or time is up.
  void look_for_item(std::chrono::nanoseconds patience) const {
    using Clock = std::chrono::steady_clock;
    constexpr int kLooksBetweenClocks = 16;
    if (patience.count() == 0) return;
    const Clock::time_point end = Clock::now() + patience;
    do {
      for (int look = 0; look < kLooksBetweenClocks; ++look) {
        if (filled_seen_.load(std::memory_order_relaxed) > 0) return;
        hpcx::pause_core();
      }
    } while (Clock::now() < end);
  }

  std::mutex mutex_;
  std::deque<T> items_;
  bool closed_ = false;
  std::counting_semaphore<> free_;
  std::counting_semaphore<> filled_{0};
  std::atomic<std::ptrdiff_t> filled_seen_ = 0;  ///< items, and one for the end, for those who look
};

}  // namespace hpl
