#include "hpcx/thread.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <latch>
#include <memory>
#include <system_error>

namespace hpcx {

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

namespace {

template <class... Body>
std::jthread start(std::string_view purpose, Body&&... body) {
  try {
    return std::jthread(std::forward<Body>(body)...);
  } catch (const std::system_error& e) {
    std::string text = "this process may start no more threads (wanted: " + std::string(purpose) +
                       "; " + e.code().message() + ")";
    if (const std::string limits = describe(thread_limits()); !limits.empty())
      text += ": " + limits;
    throw ThreadRefused(text);
  }
}

/// The number that a file begins with; empty where it does not, "max" say.
std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::optional<std::int64_t> resource_limit(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

std::optional<std::int64_t> threads_of_this_process() {
  constexpr std::string_view kField = "Threads:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kField)) return std::stoll(line.substr(kField.size()));
  return std::nullopt;
}

/// The limits of a control group and of all that hold it, below the place where the hierarchy is
/// mounted. In a container the path may be one of the world outside; what is left of it then is the
/// mounted directory itself.
void add_groups(const std::string& mounted, std::string path,
                std::vector<ThreadLimits::Group>& groups) {
  for (;;) {
    while (!path.empty() && path.back() == '/')
      path.pop_back();
    const std::string directory = mounted + path;
    if (const auto limit = number_in(directory + "/pids.max"))
      groups.push_back({.directory = directory,
                        .limit = *limit,
                        .in_use = number_in(directory + "/pids.current").value_or(0)});
    if (path.empty()) return;
    path.resize(path.rfind('/'));
  }
}

/// Lines of /proc/self/cgroup are "number:controllers:path", without controllers in version 2
/// (cgroups(7)).
std::vector<ThreadLimits::Group> control_groups() {
  std::vector<ThreadLimits::Group> groups;
  std::ifstream membership("/proc/self/cgroup");
  for (std::string line; std::getline(membership, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers == "pids") add_groups("/sys/fs/cgroup/pids", line.substr(second + 1), groups);
    if (controllers.empty()) add_groups("/sys/fs/cgroup", line.substr(second + 1), groups);
  }
  return groups;
}

bool is_full(const ThreadLimits::Group& group) {
  return group.in_use >= group.limit;
}

}  // namespace

std::jthread start_thread(std::string_view purpose, std::function<void(std::stop_token)> body) {
  return start(purpose, std::move(body));
}

std::jthread start_thread(std::string_view purpose, std::function<void()> body) {
  return start(purpose, std::move(body));
}

std::vector<std::jthread> start_threads(int count, std::string_view purpose,
                                        std::function<void(int)> body) {
  struct Start {
    std::function<void(int)> body;
    std::latch all{1};
    bool refused = false;  // written before the latch opens
  };
  const auto common = std::make_shared<Start>(std::move(body));
  std::vector<std::jthread> threads;
  try {
    threads.reserve(static_cast<std::size_t>(count));
    for (int number = 0; number < count; ++number)
      threads.push_back(start(purpose, [common, number] {
        common->all.wait();
        if (!common->refused) common->body(number);
      }));
  } catch (...) {
    common->refused = true;
    common->all.count_down();
    throw;
  }
  common->all.count_down();
  return threads;
}

void name_this_thread(std::string_view name) {
  constexpr std::size_t kLongest = 15;
  pthread_setname_np(pthread_self(), std::string(name.substr(0, kLongest)).c_str());
}

ThreadLimits thread_limits() {
  return {.threads = threads_of_this_process(),
          .groups = control_groups(),
          .user = resource_limit(RLIMIT_NPROC),
          .system = number_in("/proc/sys/kernel/threads-max"),
          .address_space_bytes = resource_limit(RLIMIT_AS)};
}

std::optional<std::int64_t> threads_left(const ThreadLimits& limits) {
  std::optional<std::int64_t> least;
  for (const ThreadLimits::Group& group : limits.groups) {
    const std::int64_t left = std::max<std::int64_t>(group.limit - group.in_use, 0);
    least = std::min(least.value_or(left), left);
  }
  return least;
}

std::string describe(const ThreadLimits& limits) {
  const auto count = [](std::int64_t number) { return std::to_string(number); };
  for (const ThreadLimits::Group& group : limits.groups)
    if (is_full(group))
      return "limit " + count(group.limit) + " of control group " + group.directory +
             " (pids.max), all in use";
  std::vector<std::string> known;
  for (const ThreadLimits::Group& group : limits.groups)
    known.push_back(count(group.limit) + " of control group " + group.directory + " (pids.max), " +
                    count(group.in_use) + " in use");
  if (limits.user) known.push_back(count(*limits.user) + " of the user (ulimit -u)");
  if (limits.system) known.push_back(count(*limits.system) + " of the system (kernel.threads-max)");
  if (limits.address_space_bytes)
    known.push_back(count(*limits.address_space_bytes / 1024) + " KiB of memory (ulimit -v)");
  std::string text;
  for (const std::string& limit : known)
    text += (text.empty() ? known.size() == 1 ? "limit " : "limits: " : "; ") + limit;
  if (limits.threads) text += (text.empty() ? "" : "; ") + ("it has " + count(*limits.threads));
  return text;
}

}  // namespace hpcx
