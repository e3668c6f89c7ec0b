#include "hpl/app/application.h"

#include <fmt/format.h>

#include <cstdio>

#include "hpl/app/information.h"
#include "hpl/app/job.h"
#include "hpl/app/same_input.h"
#include "hpl/app/watchdog.h"
#include "hpl/base/error.h"
#include "hpl/host/termination_signal.h"
#include "hpl/mpi/failure.h"

namespace hpl {

namespace {

ExitCode run_command(const mpi::Communicator& world, mpi::Environment& environment,
                     const TerminationSignal& signal, int argc, const char* const* argv) {
  const bool root = world.rank() == 0;
  require_same_arguments(world, argc, argv);
  const Options options = parse_command_line(argc, argv);
  if (!options.help_text.empty() || options.show_version || options.list_devices) {
    print_on_rank_0(world, !root                        ? std::string()
                           : !options.help_text.empty() ? options.help_text
                           : options.show_version       ? version_text()
                                                        : device_text());
    return ExitCode::Passed;
  }
  environment.limit_end(options.watchdog_seconds);
  Watchdog watchdog(
      world, signal,
      {.limit_seconds = options.watchdog_seconds, .thread_level = environment.thread_level()});
  try {
    return run_job(world, environment, options, watchdog);
  } catch (const ConfigError&) {
    throw;
  } catch (const mpi::AgreedFailure&) {
    throw;
  } catch (const std::exception& e) {
    watchdog.fail(e.what());
  }
}

}  // namespace

int run_application(int argc, const char* const* argv) {
  try {
    const TerminationSignal signal;  // before MPI has threads
    mpi::Environment environment;
    const mpi::Communicator world = mpi::Communicator::world();
    try {
      return static_cast<int>(run_command(world, environment, signal, argc, argv));
    } catch (const ConfigError& e) {
      // The same on every rank, so one speaks for all and MPI ends in order.
      if (world.rank() == 0) fmt::print(stderr, "xhpl: {}\n", e.what());
      return static_cast<int>(ExitCode::BadInput);
    } catch (const mpi::AgreedFailure& e) {
      if (world.rank() == 0) fmt::print(stderr, "xhpl: {}\n", e.what());
      return static_cast<int>(ExitCode::Broken);
    } catch (const std::exception& e) {
      fmt::print(stderr, "xhpl: rank {} on {}: {}\n", world.rank(), mpi::host_name(), e.what());
      mpi::abort_job(ExitCode::Broken);
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "xhpl: {}\n", e.what());
    return static_cast<int>(ExitCode::Broken);
  }
}

}  // namespace hpl
