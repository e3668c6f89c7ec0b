#include "application.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/standard_output.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/input/command_line/command.h"
#include "hpl/input/command_line/completion.h"
#include "hpl/job/failure/exit_guard.h"
#include "hpl/job/failure/watchdog.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/job/ranks/information.h"
#include "hpl/machine/host/launch.h"
#include "hpl/machine/host/memory.h"
#include "hpl/machine/host/termination_signal.h"
#include "hpl/machine/host/versions.h"
#include "hpl/page/page.h"
#include "job.h"

namespace hpl {

namespace {

constexpr std::string_view kByJob = "--by-job";

struct Arguments {
  int argc;
  const char* const* argv;
};

/// The program beside this one, in place of this process. Returns only by a RunError.
[[noreturn]] void hand_over(std::string_view program, const CommandWords& words) {
  const CommandRow& row = row_of(kCommands, words.command);
  std::error_code none;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::string file = (self.parent_path() / program).string();
  std::vector<char*> arguments{const_cast<char*>(file.c_str())};  // exec writes to none of them
  if (row.named) arguments.push_back(const_cast<char*>(row.name.data()));
  for (int i = 1; i < words.argc; ++i)
    arguments.push_back(const_cast<char*>(words.argv[i]));
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  execvp(std::string(program).c_str(), arguments.data());
  throw RunError("{} stands neither beside xhpl nor in PATH: {}", program,
                 std::generic_category().message(errno));
}

/// The program of its own that carries out a command, to which `command` then holds the words;
/// empty: xhpl itself.
std::string_view program_of(CommandWords& command) {
  if (command.command != Command::Fleet || command.argc < 2 || command.argv[1] != kByJob)
    return row_of(kCommands, command.command).program;
  --command.argc;
  ++command.argv;
  return "xhpl-fleet";
}

/// Carries out commands that need no MPI: texts, and programs of their own. Empty: it is a job.
/// Throws ConfigError.
std::optional<std::string> text_of(const Arguments& words) {
  CommandWords command = command_words(words.argc, words.argv);
  if (command.command == Command::Help)
    return command.argc > 1 ? help_text(command.argv[1]) : first_screen();
  if (command.command == Command::Completion)
    return completion_text(command.argc > 1 ? command.argv[1] : "");
  const std::string_view program = program_of(command);
  if (!program.empty()) {
    if (launch().rank == 0) hand_over(program, command);
    return "";
  }
  const Options options = parse_command_line(words.argc, words.argv);
  if (!options.help_text.empty()) return options.help_text;
  if (options.show_version) return version_text();
  if (options.command == Command::Devices) return device_text();
  return std::nullopt;
}

/// The exit code of a command that needs no MPI. Bad input is left to all ranks together, of which
/// one reports it.
std::optional<ExitCode> run_without_mpi(const Arguments& words) {
  try {
    const std::optional<std::string> text = text_of(words);
    if (!text) return std::nullopt;
    if (launch().rank == 0) write_standard_output(*text);
    return ExitCode::Passed;
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

/// Of the command line, as far as it can be understood before the ranks look at it together.
double watchdog_seconds(const Arguments& words) {
  try {
    return parse_command_line(words.argc, words.argv).watchdog_seconds;
  } catch (const ConfigError&) {  // one rank reports it for all
    return Options().watchdog_seconds;
  }
}

/// Of an end that a library brings about: where, while it did what, and what may have kept MPI from
/// starting.
std::string library_end(const Watchdog& watchdog, int code) {
  std::string text =
      fmt::format("rank {} on {}: a library ended the process (exit code {}) while it {}",
                  launch().rank, machine_name(), code, watchdog.activity());
  if (watchdog.activity() != activity::kStartsMpi) return text;
  const std::vector<std::string> obstacles = obstacles_to_start();
  for (const std::string& obstacle : obstacles)
    text += (&obstacle == &obstacles.front() ? "; " : ", ") + obstacle;
  return text;
}

/// Compute threads and workers send messages too, one at a time at least.
void require_threads_that_send(const mpi::Communicator& world, mpi::ThreadLevel level) {
  const auto lowest =
      static_cast<mpi::ThreadLevel>(world.all_reduce(static_cast<int>(level), mpi::Reduce::Min));
  if (world.size() > 1 && lowest < mpi::ThreadLevel::Serialized)
    throw ConfigError(fmt::format("this MPI supports threads {}, several ranks need {}: {}",
                                  mpi::to_string(lowest),
                                  mpi::to_string(mpi::ThreadLevel::Serialized),
                                  short_library_version(mpi::library_version())));
}

ExitCode run_command(const mpi::Communicator& world, const mpi::Environment& environment,
                     Watchdog& watchdog, const Arguments& words) {
  require_threads_that_send(world, environment.thread_level());
  require_same_arguments(world, words.argc, words.argv);
  static_cast<void>(text_of(words));  // throws what is wrong with the words
  const Options options = parse_command_line(words.argc, words.argv);
  return run_job({world, environment, options, watchdog, page::page_of});
}

ExitCode run_ranks(const Launch& launch, const mpi::Environment& environment, Watchdog& watchdog,
                   const Arguments& words) {
  const mpi::Communicator world = mpi::Communicator::world();
  if (const auto message =
          foreign_launcher(launch, world.size(), short_library_version(mpi::library_version()))) {
    // These jobs do not know each other: one rank of each host speaks.
    if (launch.rank_on_host == 0) fmt::print(stderr, "xhpl: {}: {}\n", machine_name(), *message);
    return ExitCode::Broken;
  }
  const Watchdog::Ranks ranks(watchdog, world, environment.thread_level());
  try {
    return run_command(world, environment, watchdog, words);
  } catch (const ConfigError& e) {
    // The same on every rank, so one speaks for all and MPI ends in order.
    if (world.rank() == 0) fmt::print(stderr, "xhpl: {}\n", e.what());
    return ExitCode::BadInput;
  } catch (const mpi::AgreedFailure& e) {
    if (world.rank() == 0) fmt::print(stderr, "xhpl: {}\n", e.what());
    return ExitCode::Broken;
  } catch (const std::exception& e) {
    watchdog.fail(e.what());
  }
}

}  // namespace

bool is_of_another_program(int argc, const char* const* argv) {
  try {
    CommandWords command = command_words(argc, argv);
    return !program_of(command).empty();
  } catch (const ConfigError&) {  // the ranks report it together
    return false;
  }
}

int run_application(int argc, const char* const* argv) {
  make_file_size_limit_an_error();
  share_heap_under_limit();
  const Arguments words{argc, argv};
  try {
    if (const std::optional<ExitCode> code = run_without_mpi(words)) return static_cast<int>(*code);
    require_files_to_start();
    const TerminationSignal signal;   // before anybody has threads
    const Launch started = launch();  // before MPI sets variables of its own
    Watchdog watchdog(signal, watchdog_seconds(words), started);
    const ExitGuard guard([&](int code) { return library_end(watchdog, code); });
    const mpi::Environment environment;
    try {
      return static_cast<int>(run_ranks(started, environment, watchdog, words));
    } catch (const std::exception& e) {
      watchdog.fail(e.what());  // MPI must not end here: the others do not come along
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "xhpl: rank {} on {}: {}\n", launch().rank, machine_name(), e.what());
    return static_cast<int>(ExitCode::Broken);
  }
}

}  // namespace hpl
