#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <semaphore>
#include <utility>

namespace hpl {

/// A first-in first-out queue between threads, bounded and closeable.
///
/// Blocking: push() sleeps while `capacity` items wait, pop() sleeps while none does; neither
/// spins. Ordering: what a thread did before push() is visible after the pop() that returns the
/// item; items of one producer keep their order. Any number of producers and consumers.
/// Closing: close() wakes everybody; afterwards push() returns false and drops its item, pop()
/// still hands out what is in the queue and then returns an empty optional.
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
    return true;
  }

  std::optional<T> pop() {
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
    free_.release();
  }

 private:
  std::mutex mutex_;
  std::deque<T> items_;
  bool closed_ = false;
  std::counting_semaphore<> free_;
  std::counting_semaphore<> filled_{0};
};

}  // namespace hpl
