#include "application.h"

#include <fmt/format.h>

#include <cstdio>

#include "hpl/base/error/error.h"
#include "hpl/base/file/file_size_limit.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/job/failure/exit_guard.h"
#include "hpl/job/failure/watchdog.h"
#include "hpl/job/setup/information.h"
#include "hpl/job/setup/same_input.h"
#include "hpl/machine/host/launch.h"
#include "hpl/machine/host/memory.h"
#include "hpl/machine/host/termination_signal.h"
#include "job.h"

namespace hpl {

namespace {

struct Arguments {
  int argc;
  const char* const* argv;
};

/// Of the command line, as far as it can be understood before the ranks look at it together.
double watchdog_seconds(const Arguments& words) {
  try {
    return parse_command_line(words.argc, words.argv).watchdog_seconds;
  } catch (const ConfigError&) {  // will be told by one rank for all
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

ExitCode run_command(const mpi::Communicator& world, const mpi::Environment& environment,
                     Watchdog& watchdog, const Arguments& words) {
  const bool root = world.rank() == 0;
  require_same_arguments(world, words.argc, words.argv);
  const Options options = parse_command_line(words.argc, words.argv);
  if (!options.help_text.empty() || options.show_version || options.list_devices) {
    print_on_rank_0(world, !root                        ? std::string()
                           : !options.help_text.empty() ? options.help_text
                           : options.show_version       ? version_text()
                                                        : device_text());
    return ExitCode::Passed;
  }
  return run_job(world, environment, options, watchdog);
}

ExitCode run_ranks(const mpi::Environment& environment, Watchdog& watchdog,
                   const Arguments& words) {
  const mpi::Communicator world = mpi::Communicator::world();
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

int run_application(int argc, const char* const* argv) {
  make_file_size_limit_an_error();
  share_heap_under_limit();
  const Arguments words{argc, argv};
  try {
    require_files_to_start();
    const TerminationSignal signal;  // before anybody has threads
    Watchdog watchdog(signal, watchdog_seconds(words), launch());
    const ExitGuard guard([&](int code) { return library_end(watchdog, code); });
    const mpi::Environment environment;
    try {
      return static_cast<int>(run_ranks(environment, watchdog, words));
    } catch (const std::exception& e) {
      watchdog.fail(e.what());  // MPI must not end here: the others do not come along
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "xhpl: rank {} on {}: {}\n", launch().rank, machine_name(), e.what());
    return static_cast<int>(ExitCode::Broken);
  }
}

}  // namespace hpl
