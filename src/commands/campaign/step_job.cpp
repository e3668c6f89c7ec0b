#include "step_job.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "hpl/base/number/stopwatch.h"
#include "hpl/base/text/text_value.h"

namespace hpl::campaign {
namespace {

/// Seconds that a program has to end its job before it is killed.
constexpr double kGrace = 25;
struct EndingSignal {
  int number;
  const char* name;
};
constexpr std::array<EndingSignal, 3> kEnding{
    {{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGHUP, "SIGHUP"}}};

std::string reason(int error) {
  return std::generic_category().message(error);
}

/// In the child: the program takes its place. `output`: of standard output and standard error;
/// negative: those of this process, but standard output goes to `captured`.
[[noreturn]] void become(std::vector<char*>& words, int output, int captured) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a campaign that is killed leaves nothing at work
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int input = ::open("/dev/null", O_RDONLY);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output >= 0 ? output : captured, STDOUT_FILENO);
  if (output >= 0) ::dup2(output, STDERR_FILENO);
  ::execvp(words.front(), words.data());
  const int error = errno;
  dprintf(STDERR_FILENO, "%s: %s\n", words.front(), std::strerror(error));
  ::_exit(error == ENOENT ? 127 : 126);
}

pid_t start(const std::vector<std::string>& words, int output, int captured) {
  std::vector<char*> pointers;
  for (const std::string& word : words)
    pointers.push_back(const_cast<char*>(word.c_str()));  // exec writes to none of them
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) become(pointers, output, captured);
  if (child < 0)
    throw RunError("{} cannot be started: {}", shown_text(words.front()), reason(errno));
  ::setpgid(child, child);  // whoever of the two comes first
  return child;
}

/// The exit code of a child that has ended; empty: it is at work.
std::optional<int> ended(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, WNOHANG) != child) return std::nullopt;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Waits for one of the signals; 0: none came in time.
int wait_for(const sigset_t& signals, double seconds) {
  const double whole = std::floor(seconds);
  const timespec time{.tv_sec = static_cast<time_t>(whole),
                      .tv_nsec = static_cast<long>((seconds - whole) * 1e9)};
  return std::max(0, ::sigtimedwait(&signals, nullptr, &time));
}

/// Waits for the end of a child, and ends it by a signal or when its time is over.
JobEnd wait_for_end(pid_t child, const sigset_t& signals, std::optional<double> most_seconds) {
  constexpr double kLook = 1;
  const Stopwatch watch;
  JobEnd end;
  int interrupt = 0;
  std::optional<double> kill_at;
  while (true) {
    const std::optional<int> code = ended(child);
    end.seconds = watch.seconds();
    if (code) {
      end.code = *code;
      break;
    }
    if (kill_at && end.seconds >= *kill_at) ::kill(-child, SIGKILL);
    end.too_long = end.too_long || (most_seconds && end.seconds >= *most_seconds);
    if (end.too_long && !kill_at) {
      ::kill(child, SIGTERM);
      kill_at = end.seconds + kGrace;
    }
    const double until = most_seconds && !kill_at ? *most_seconds - end.seconds : kLook;
    const int signal = wait_for(signals, std::clamp(until, 0.01, kLook));
    if (signal == 0 || signal == SIGCHLD) continue;
    interrupt = signal;
    ::kill(child,
           signal == SIGINT ? SIGTERM : signal);  // shells pass over SIGINT in background jobs
    kill_at = kill_at.value_or(watch.seconds() + kGrace);
  }
  if (interrupt != 0) throw Interrupted(interrupt);
  return end;
}

/// A file of the process, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

Interrupted::Interrupted(int signal)
    : RunError("{} ended it", std::ranges::find(kEnding, signal, &EndingSignal::number)->name) {}

JobStarter::JobStarter() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGCHLD);
  for (const auto& [signal, name] : kEnding) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
  }
  sigprocmask(SIG_BLOCK, &signals_, nullptr);
}

JobEnd JobStarter::run(const std::vector<std::string>& words, const std::filesystem::path& output,
                       std::optional<double> most_seconds) const {
  const Descriptor file(::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0)
    throw RunError("{} cannot be written: {}", shown_text(output.string()), reason(errno));
  return wait_for_end(start(words, file.number(), -1), signals_, most_seconds);
}

std::optional<std::string> JobStarter::output_of(const std::vector<std::string>& words) const {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> captured(std::tmpfile(), std::fclose);
  if (!captured) throw RunError("no temporary file can be made: {}", reason(errno));
  const JobEnd end = wait_for_end(start(words, -1, ::fileno(captured.get())), signals_, {});
  std::rewind(captured.get());
  std::string text;
  std::array<char, 4096> bytes{};
  for (std::size_t count; (count = std::fread(bytes.data(), 1, bytes.size(), captured.get())) > 0;)
    text.append(bytes.data(), count);
  return end.code == 0 ? std::optional(text) : std::nullopt;
}

}  // namespace hpl::campaign
