#include "process.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hpl::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kGrace{10};  // for mpirun to end its ranks

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe2");
    read_end = ends[0];
    write_end = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }

  int read_end = -1, write_end = -1;
};

struct SpawnActions {
  SpawnActions() { ::posix_spawn_file_actions_init(&value); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&value); }

  posix_spawn_file_actions_t value{};
};

/// The environment of this process with some variables set anew.
std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : command.environment) {
      replaced = replaced || text.starts_with(name + "=");
    }
    if (!replaced) result.push_back(text);
  }
  for (const auto& [name, value] : command.environment)
    result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

pid_t start(const Command& command, const Pipe& output, const Pipe& errors) {
  SpawnActions actions;
  ::posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions.value, output.write_end, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions.value, errors.write_end, STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&actions.value, command.directory.c_str());

  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = environment_of(command);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, words.front().c_str(), &actions.value, nullptr,
                                   pointers_to(words).data(), pointers_to(environment).data());
  if (error != 0) fail(error, "cannot start " + words.front());
  return pid;
}

/// Appends what can be read; closes the end of the pipe when its writers are gone.
void drain(int& end, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(end, buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    Pipe::close_end(end);
  }
}

/// Reads both streams until they end; false when `deadline` comes first.
bool collect(Pipe& output, Pipe& errors, Outcome& outcome, Clock::time_point deadline) {
  while (output.read_end >= 0 || errors.read_end >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    // poll() passes over negative descriptors.
    std::array<pollfd, 2> ends{pollfd{output.read_end, POLLIN, 0},
                               pollfd{errors.read_end, POLLIN, 0}};
    if (::poll(ends.data(), ends.size(), static_cast<int>(left.count())) < 0) continue;
    if (ends[0].revents != 0) drain(output.read_end, outcome.output);
    if (ends[1].revents != 0) drain(errors.read_end, outcome.errors);
  }
  return true;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) fail(errno, "waitpid");
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Empty where it cannot be read, as of a process that has just ended.
std::string contents_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The command lines of processes that `parent` has started and that go on.
std::vector<std::string> children_of(pid_t parent) {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().native()[0])) == 0)
      continue;
    const std::string stat = contents_of(entry.path() / "stat");
    // The name, in parentheses, may hold anything. Behind it: state, parent.
    std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    char state = 0;
    pid_t of = 0;
    if (!(fields >> state >> of) || of != parent || state == 'Z') continue;
    std::string line = contents_of(entry.path() / "cmdline");
    std::ranges::replace(line, '\0', ' ');
    result.push_back(line);
  }
  return result;
}

/// The exit code in the last words of Open MPI's launcher about a job that failed.
std::optional<int> told_exit_code(const std::string& errors) {
  const std::string verdict = "one or more processes exited with non-zero status";
  const std::string label = "Exit code:";
  const std::size_t last_words = errors.rfind(verdict);
  if (last_words == std::string::npos) return std::nullopt;
  const std::size_t code = errors.find(label, last_words);
  if (code == std::string::npos) return std::nullopt;
  return std::stoi(errors.substr(code + label.size()));
}

}  // namespace

std::string describe(const Outcome& outcome) {
  std::string children;
  for (const std::string& child : outcome.children_left)
    children += "\n--- still there: " + child;
  return "exit code " + std::to_string(outcome.exit_code) +
         (outcome.timed_out ? ", ended because its time was over" : "") + children +
         "\n--- standard output\n" + outcome.output + "--- standard error\n" + outcome.errors +
         "---\n";
}

Outcome run(const Command& command) {
  Pipe output;
  Pipe errors;
  const pid_t pid = start(command, output, errors);
  Pipe::close_end(output.write_end);
  Pipe::close_end(errors.write_end);

  Outcome outcome;
  if (!collect(output, errors, outcome, Clock::now() + command.timeout)) {
    outcome.timed_out = true;
    outcome.children_left = children_of(pid);
    ::kill(pid, SIGTERM);
    if (!collect(output, errors, outcome, Clock::now() + kGrace)) ::kill(pid, SIGKILL);
  }
  outcome.exit_code = wait_for(pid);
  // An mpirun of Open MPI 4.1.4 was seen that had told how its job ended, did not end itself and
  // took no SIGTERM. The job is what is tested, not its launcher.
  if (outcome.timed_out && outcome.children_left.empty())
    if (const std::optional<int> told = told_exit_code(outcome.errors)) {
      outcome.exit_code = *told;
      outcome.timed_out = false;
    }
  return outcome;
}

}  // namespace hpl::test
