#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>

namespace hpcx::cpu {

/// Loops whose iterations threads share without a lock: to take part costs less than a microsecond.
/// A few loops may be under way at a time, each on behalf of the thread that runs it.
///
/// Iterations are handed out in up to 512 runs of successive ones. As many threads as there are
/// iterations have a part of their own: who runs the loop and those that follow it by number. Of
/// loops over the same data a thread first takes the part that it had before, which its cache may
/// still hold, and then what nobody has begun.
class SharedLoops {
 public:
  using Body = std::function<void(std::int64_t)>;

  /// `threads`: who take part, by their numbers.
  explicit SharedLoops(int threads) : threads_(threads) {}
  int threads() const { return threads_; }
  /// The number of the calling thread, 0 unless it is told.
  static void set_own_number(int number);
  int own_number() const;  ///< from 0 to threads() - 1

  /// Runs body(0) ... body(count - 1) in this thread and in those that help; `published` is called
  /// when they can see it. Returns when all is done and rethrows the first exception of a body.
  void run(std::int64_t count, const Body& body, const std::function<void()>& published);
  /// Whether thread `number` has a part of a loop of `count` iterations that the caller runs.
  bool has_part(int number, std::int64_t count) const;

  /// Whether a loop with a part of the calling thread has iterations that nobody has begun.
  bool open() const;
  /// Takes part in such loops; false when there was none.
  bool help();

 private:
  static constexpr std::size_t kWords = 8;

  /// Room for one loop, on cache lines of its own. Who is inside() holds the loop open: its owner
  /// leaves when there is nobody. Who enters looks at the phase again, since the loop that it saw
  /// may have ended meanwhile.
  struct alignas(128) Slot {
    std::atomic<bool> taken{false};
    std::atomic<std::uint64_t> phase{0};  // odd while a loop is open
    std::atomic<std::int64_t> count{0};
    std::atomic<int> owner{0};
    const Body* body = nullptr;
    std::atomic<bool> failed{false};
    std::exception_ptr failure;                                          // of who set `failed`
    alignas(128) std::array<std::atomic<std::uint64_t>, kWords> left{};  // a bit a run not begun
    alignas(128) std::atomic<int> inside{0};

    bool open() const;
    /// Of those that nobody has begun the first from `begin` on, which falls to the caller; -1:
    /// none.
    std::int64_t take_run(std::int64_t begin);
  };

  static std::int64_t runs_of(std::int64_t count);
  /// By how much thread `number` follows `owner`; the first follows the last.
  std::int64_t distance(int owner, int number) const;
  bool open(const Slot& slot) const;
  bool help(Slot& slot);
  void take_part(Slot& slot);
  Slot* take_slot();

  int threads_;
  std::array<Slot, 4> slots_;
};

}  // namespace hpcx::cpu
