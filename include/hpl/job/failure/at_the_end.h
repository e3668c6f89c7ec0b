#pragma once

#include <unistd.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

namespace hpl {

/// The lock of a report when a job fails; not owned where another thread keeps it for longer than
/// the end of the job may wait, being stuck in the disk for instance.
inline std::unique_lock<std::mutex> lock_at_the_end(std::mutex& mutex) {
  constexpr std::chrono::milliseconds kLongest{200}, kPause{5};
  std::unique_lock lock(mutex, std::try_to_lock);
  for (auto waited = kPause; !lock && waited <= kLongest; waited += kPause) {
    std::this_thread::sleep_for(kPause);
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

/// Writes `text` in one piece, without buffers and locks: launchers mix the lines of ranks, and the
/// process is about to end.
inline void write_at_end(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace hpl
