#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "failing_run.h"
#include "support/cpu_device.h"

namespace hpl {
namespace {

/// One rank fails in the middle of a run of all. The others wait for its messages until somebody
/// stops them: all end, each with its own cause, nobody hangs.
TEST(FailingRank, EndsAtOnceAndTheOthersWhenTheyAreTold) {
  const mpi::Communicator world = mpi::Communicator::world();
  const mpi::Communicator news = world.dup();
  const int culprit = world.size() - 1;
  const auto device = test::open_cpu(2);
  JobControl control;
  const auto fail = [&](const StepRecord& record) {
    if (world.rank() == culprit && record.step == 4) throw std::runtime_error("rank gives up");
  };
  std::string message;
  {
    std::jthread listener([&] {
      if (world.rank() == culprit) return;
      news.barrier();
      control.fail(std::make_exception_ptr(mpi::Stopped()));
    });
    message = test::message_of([&] {
      test::run_whole(*device, world, test::small_run(1, world.size()),
                      {.chunk_columns = 8, .on_step = fail, .control = &control});
    });
    if (world.rank() == culprit) news.barrier();
  }
  EXPECT_EQ(message, world.rank() == culprit ? "rank gives up" : "stopped");
}

}  // namespace
}  // namespace hpl
