#include "hpl/job/live/disturbed.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

using Reasons = std::vector<std::string>;

/// On rank 0, as measurements return them.
Reasons told(const mpi::Communicator& world, Reasons reasons) {
  return world.rank() == 0 ? reasons : Reasons{};
}

TEST(Disturbed, AMeasurementIsMadeOnceMoreOnEveryRank) {
  const mpi::Communicator world = mpi::Communicator::world();
  int times = 0;
  const Reasons left = measure_undisturbed(
      world, [&] { return told(world, ++times == 1 ? Reasons{"busy"} : Reasons{}); });
  EXPECT_EQ(times, 2);
  EXPECT_TRUE(left.empty());
}

TEST(Disturbed, AMachineThatStaysBusyIsMeasuredTwiceAndNamed) {
  const mpi::Communicator world = mpi::Communicator::world();
  int times = 0;
  const Reasons left = measure_undisturbed(world, [&] {
    ++times;
    return told(world, {"busy"});
  });
  EXPECT_EQ(times, 1 + kTimesAgain);
  EXPECT_EQ(left, told(world, {"busy"}));
}

/// A host of four cores where others are busy on one of them. Each reading is two seconds later.
class BusyHost {
 public:
  LoadReadings readings() {
    return {.used =
                [this] {
                  busy_ += 2;
                  return ProcessorTime{.host = "node01", .cores = 4, .all = busy_, .own = 0};
                },
            .seconds = [this] { return now_ += 2; }};
  }

 private:
  double busy_ = 0, now_ = 0;
};

TEST(Disturbed, OtherProcessesDisturbAnActionOnProcessorsMoreThanBesideGpus) {
  const mpi::Communicator world = mpi::Communicator::world();
  for (const bool on_processors : {true, false}) {
    BusyHost host;
    int times = 0;
    const Reasons left = measure_beside_others(
        world, on_processors, [&] { ++times; }, host.readings());
    EXPECT_EQ(times, on_processors ? 2 : 1);
    EXPECT_EQ(left, told(world, on_processors
                                    ? Reasons{"other processes took 25 % of the cores of node01"}
                                    : Reasons{}));
  }
}

}  // namespace
}  // namespace hpl
