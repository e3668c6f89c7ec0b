#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "hpcx/error.h"

namespace hpcx {

/// The system refuses this process a further thread. The text names what the thread was for and the
/// limit that stands in the way.
class ThreadRefused : public Error {
 public:
  using Error::Error;
};

/// Every thread of a program starts here, so that a refusal reads the same everywhere.
/// `purpose` is for people: "the watchdog". Throws ThreadRefused. What `body` throws ends the
/// program.
std::jthread start_thread(std::string_view purpose, std::function<void(std::stop_token)> body);
std::jthread start_thread(std::string_view purpose, std::function<void()> body);

/// Threads that run `body(0) ... body(count - 1)`: all of them or none. They wait for each other
/// before they begin, so that when the last is refused no other has begun anything that would have
/// to be brought to an end. Throws ThreadRefused.
///
///     const std::vector<std::jthread> workers =
///         start_threads(4, "a worker of the pipeline", [&](int number) { work(number); });
std::vector<std::jthread> start_threads(int count, std::string_view purpose,
                                        std::function<void(int)> body);

/// Between two looks of a thread that waits without giving up its core.
void pause_core();

/// Gives the calling thread the name that ps -L, top and debuggers show. The system keeps 15
/// characters.
void name_this_thread(std::string_view name);

/// Bounds on the number of threads of this process; empty: none that can be seen.
struct ThreadLimits {
  struct Group {
    std::string directory;    ///< of the control group
    std::int64_t limit = 0;   ///< pids.max: processes and threads of the group
    std::int64_t in_use = 0;  ///< pids.current
  };
  std::optional<std::int64_t> threads{};  ///< that this process has
  std::vector<Group> groups{};            ///< that have a limit, innermost first
  std::optional<std::int64_t> user{};     ///< RLIMIT_NPROC: processes and threads of the user
  std::optional<std::int64_t> system{};   ///< /proc/sys/kernel/threads-max
  std::optional<std::int64_t> address_space_bytes{};  ///< RLIMIT_AS: each thread needs a stack
};

/// As things are now.
ThreadLimits thread_limits();
/// Threads that the control groups leave; empty where none has a limit. Pure.
std::optional<std::int64_t> threads_left(const ThreadLimits& limits);
/// "limit 13 of control group /sys/fs/cgroup/pids/job, all in use": a limit that is reached, else
/// all there are. Pure.
std::string describe(const ThreadLimits& limits);

}  // namespace hpcx
