// Rank 1 ends the job from a thread of its own while every other thread waits for ever.

#include <iostream>
#include <thread>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"

int main() {
  const hpl::mpi::Environment environment;
  const hpl::mpi::Communicator world = hpl::mpi::Communicator::world();
  if (world.rank() != 1) {
    world.barrier();
    return 0;
  }
  std::thread watcher([] {
    std::cout << "rank 1 gives up\n";
    hpl::mpi::abort_job(hpl::ExitCode::Broken);
  });
  watcher.join();
}
