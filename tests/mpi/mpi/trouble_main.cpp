// The network of rank 1's device fails while every rank waits for ever.

#include <chrono>
#include <string>
#include <thread>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/job/failure/watchdog.h"

int main() {
  const hpl::TerminationSignal signal;
  hpl::Watchdog watchdog(signal, /*limit_seconds=*/0, hpl::launch());
  const hpl::mpi::Environment environment;
  const hpl::mpi::Communicator world = hpl::mpi::Communicator::world();
  const hpl::Watchdog::Ranks ranks(watchdog, world, environment.thread_level());
  const hpl::JobControl control;
  const hpl::Watchdog::Run run(
      watchdog, {control, world, {}, "run 1", [&world] {
                   return world.rank() == 1 ? std::string("the link is down") : std::string();
                 }});
  std::this_thread::sleep_for(std::chrono::minutes(5));
}
