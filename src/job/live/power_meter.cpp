#include "hpl/job/live/power_meter.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hpcx/thread.h"
#include "hpl/base/power/power_log.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kGlance{100};     // how late a request to stop may be noticed
constexpr milliseconds kRest{20};        // after a read: a program that floods us gets no core
constexpr milliseconds kTimeToEnd{200};  // before it is killed
constexpr double kLeastBetweenReadings = 0.1;
constexpr std::size_t kLongestLine = 1000;
constexpr std::size_t kBytesAtOnce = 4096;

/// Runs $1 with the mark $2 in its environment. Beside it waits a guard on standard input, a pipe
/// from this process: when the pipe is closed, as it is when this process dies of whatever cause,
/// the guard kills all that carry the mark, then the group. The mark finds children that have left
/// the group (setsid). The guard holds standard output open until then.
constexpr const char* kScript =
    "exec 3<&0 </dev/null\n"
    "(trap '' TERM; exec 2>/dev/null; read -r _; tries=20\n"
    " while strays=$(grep -lszxF \"XHPL_METER=$2\" /proc/[0-9]*/environ)\n"
    "       [ -n \"$strays\" ] && [ $((tries -= 1)) -gt 0 ]; do\n"
    "   for stray in $strays; do stray=${stray#/proc/}; kill -KILL \"${stray%/*}\"; done\n"
    " done; kill -KILL 0) <&3 3<&- &\n"
    "exec 3<&-\n"
    "(XHPL_METER=$2; export XHPL_METER; eval \"$1\")\n";

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

/// posix_spawn's two kinds of settings, given back with the object.
struct SpawnSettings {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

  SpawnSettings(int input, int output) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
#endif
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    // Ranks block SIGTERM; MPI has handlers of its own.
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

/// Waits for a child without blocking for longer than `most`; empty when it goes on.
std::optional<int> wait_for_end(pid_t child, milliseconds most) {
  const auto until = Clock::now() + most;
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (ended < 0 && errno != EINTR) return 0;  // somebody else has waited for it
    if (Clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(milliseconds(5));
  }
}

/// Reads and drops what comes from a pipe until no process holds its other end, for `most` at most.
void wait_for_end_of(int pipe, milliseconds most) {
  const auto until = Clock::now() + most;
  std::array<char, kBytesAtOnce> dropped{};
  for (auto left = most; left.count() > 0;
       left = std::chrono::ceil<milliseconds>(until - Clock::now())) {
    pollfd wanted{.fd = pipe, .events = POLLIN, .revents = 0};
    if (::poll(&wanted, 1, static_cast<int>(left.count())) > 0 &&
        ::read(pipe, dropped.data(), dropped.size()) == 0)
      return;
  }
}

}  // namespace

PowerMeter::PowerMeter(std::string command, const Limits& limits) noexcept
    : command_(std::move(command)),
      limits_(limits),
      mark_(fmt::format("{}.{}", ::getpid(), Clock::now().time_since_epoch().count())) {
  try {
    thread_ = hpcx::start_thread("the reader of the power meter", [this](std::stop_token stop) {
      try {
        run(stop);
      } catch (...) {  // no meter is worth a run
      }
    });
  } catch (const hpcx::ThreadRefused& refused) {
    complain(Kind::NoStart, refused.what());
  }
}

PowerMeter::~PowerMeter() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void PowerMeter::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto next = Clock::now() + limits_.period;
    if (start()) read_until_end(stop);
    while (!stop.stop_requested() && Clock::now() < next)
      std::this_thread::sleep_for(
          std::min(kGlance, std::chrono::ceil<milliseconds>(next - Clock::now())));
  }
}

bool PowerMeter::start() {
  std::array<int, 2> input{-1, -1}, output{-1, -1};
  int error = 0;
  if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0) {
    error = errno;
  } else {
    const SpawnSettings settings(input[0], output[1]);
    // posix_spawn wants pointers to text that it does not change.
    std::array<std::string, 6> words{"sh", "-c", kScript, "xhpl-meter", command_, mark_};
    std::array<char*, 7> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i)
      arguments[i] = words[i].data();
    error = ::posix_spawn(&program_, "/bin/sh", &settings.actions, &settings.attributes,
                          arguments.data(), environ);
  }
  close_if_open(input[0]);
  close_if_open(output[1]);
  guard_ = input[1];
  output_ = output[0];
  line_.clear();
  has_read_ = false;
  if (error == 0) return true;
  program_ = -1;
  close_if_open(guard_);
  close_if_open(output_);
  complain(Kind::NoStart, std::strerror(error));
  return false;
}

void PowerMeter::read_until_end(const std::stop_token& stop) {
  auto last = Clock::now();
  bool silent = false;
  std::optional<int> code;
  while (!stop.stop_requested()) {
    pollfd wanted{.fd = output_, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(kGlance.count()));
    if (ready > 0) {
      std::array<char, kBytesAtOnce> bytes{};
      const ssize_t count = ::read(output_, bytes.data(), bytes.size());
      if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) break;
      if (count > 0) {
        take({bytes.data(), static_cast<std::size_t>(count)});
        last = Clock::now();
      }
      std::this_thread::sleep_for(kRest);
      continue;
    }
    // The guard holds the pipe open, and so may what the program started in the background.
    code = wait_for_end(program_, milliseconds(0));
    silent = !code && Clock::now() - last > limits_.silence;
    if (code || silent) break;
  }
  if (!stop.stop_requested() && !line_.empty()) take_line();
  if (!code) {
    if (!silent && !stop.stop_requested()) code = wait_for_end(program_, kTimeToEnd);
    const int ended = end();
    if (!code) code = ended;
  } else {
    end_group(std::exchange(program_, -1));
  }
  close_if_open(output_);
  if (stop.stop_requested()) return;
  if (silent)
    complain(Kind::Silence,
             fmt::format("{:g} s", static_cast<double>(limits_.silence.count()) / 1e3));
  else if (*code != 0)
    complain(Kind::Failure, fmt::format("exit code {}", *code));
  else if (!has_read_)
    complain(Kind::Failure, "no output");
}

void PowerMeter::take(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n')
      take_line();
    else if (line_.size() < kLongestLine)
      line_ += c;
  }
}

void PowerMeter::take_line() {
  const std::string line = std::exchange(line_, {});
  const auto watts = parse_watts(line);
  has_read_ = true;
  if (!watts) {
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      complain(Kind::Rubbish, quote_printable(line));
    return;
  }
  const double now = unix_seconds();
  const std::lock_guard lock(mutex_);
  // A clock that was set back must not put readings out of order.
  if (!samples_.empty() && now - samples_.back().seconds < kLeastBetweenReadings) return;
  samples_.push_back({now, *watts});
}

int PowerMeter::end() {
  const pid_t program = std::exchange(program_, -1);
  if (program < 0) return 0;
  ::kill(-program, SIGTERM);
  auto code = wait_for_end(program, kTimeToEnd);
  end_group(program);
  if (!code) code = wait_for_end(program, 5 * kTimeToEnd);
  return code.value_or(0);
}

void PowerMeter::end_group(pid_t group) {
  close_if_open(guard_);
  wait_for_end_of(output_, 5 * kTimeToEnd);
  ::kill(-group, SIGKILL);  // the guard may have been killed
}

void PowerMeter::complain(Kind kind, std::string what) {
  const double now = unix_seconds();
  const std::lock_guard lock(mutex_);
  // One that prints nothing but rubbish must not fill the memory.
  if (!events_.empty() && events_.back().kind == kind && now - events_.back().seconds < 1) {
    ++events_.back().count;
    return;
  }
  events_.push_back({now, kind, std::move(what)});
}

PowerSeries PowerMeter::samples() const {
  const std::lock_guard lock(mutex_);
  return samples_;
}

std::vector<std::string> PowerMeter::complaints(double from, double to) const {
  std::array<std::int64_t, 4> counts{};
  std::array<std::string, 4> first;
  {
    const std::lock_guard lock(mutex_);
    for (const Event& event : events_) {
      if (event.seconds < from || event.seconds > to) continue;
      const auto kind = static_cast<std::size_t>(event.kind);
      if (counts[kind] == 0) first[kind] = event.what;
      counts[kind] += event.count;
    }
  }
  std::vector<std::string> sentences;
  const auto say = [&](Kind kind, std::string_view noun, const char* words) {
    const auto index = static_cast<std::size_t>(kind);
    if (counts[index] > 0)
      sentences.push_back(
          fmt::format(fmt::runtime(words), count_text(counts[index], noun), first[index]));
  };
  say(Kind::NoStart, "time", "could not be started, {}: {}");
  say(Kind::Rubbish, "line", "left out {} that held no number of watts, the first {}");
  say(Kind::Failure, "time", "failed {}, first with {}");
  say(Kind::Silence, "time", "printed nothing for {1}, {0}, and was started again");
  return sentences;
}

}  // namespace hpl
