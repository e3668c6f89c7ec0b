#include "hpl/report/result/disturbance.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

RunResult run_on(const char* backend) {
  RunResult run;
  run.devices = {{.host = "node01", .backend = backend}};
  return run;
}

TEST(Disturbance, IsOtherProcessesOnTheCoresThatComputed) {
  RunResult run = run_on("cpu");
  run.others = OtherProcesses{"node01", 0.23};
  EXPECT_EQ(disturbances(run),
            std::vector<std::string>{"other processes took 23 % of the cores of node01"});
  run.others->share = 0.02;
  EXPECT_TRUE(disturbances(run).empty());
}

TEST(Disturbance, OfGpusTakesMoreOfTheCores) {
  RunResult run = run_on("cuda");
  run.others = OtherProcesses{"node01", 0.23};
  EXPECT_TRUE(disturbances(run).empty());
  run.others->share = 0.8;
  EXPECT_EQ(disturbances(run).size(), 1U);
}

TEST(Disturbance, OfAnUnknownLoadIsNone) {
  EXPECT_TRUE(disturbances(std::nullopt, true).empty());
}

TEST(Disturbance, IsProductsThatChangedMeanwhile) {
  RunResult run = run_on("cpu");
  EXPECT_TRUE(disturbances(run).empty());
  run.products_change = -0.4;
  EXPECT_EQ(disturbances(run),
            std::vector<std::string>{"products alone ran 40 % slower after it than before"});
  run.products_change = 0.05;
  EXPECT_TRUE(disturbances(run).empty());
}

}  // namespace
}  // namespace hpl
