#include "hpl/run/runs/job_output.h"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/temporary_directory.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class JobOutputTest : public testing::Test {
 protected:
  JobOutputTest() {
    options_.outputs.json = report();
    dat_.output_device = OutputDevice::File;
    dat_.output_file = (directory_ / "text").string();
  }

  fs::path report() const { return directory_ / "run.json"; }
  const mpi::Communicator world_ = mpi::Communicator::world();
  const bool root_ = world_.rank() == 0;
  test::TemporaryDirectory directory_;
  Options options_;
  HplDat dat_;
  JobOutput output_{root_};
};

TEST_F(JobOutputTest, TellsWhyTheJobFailedWhicheverThreadSaysSo) {
  output_.open(world_, options_, dat_);
  output_.begin({.program = {"xhpl", "1"}}, {RunSpec{.order = 1}});
  output_.keep(RunResult{});
  output_.keep(RunResult{});
  std::jthread([this] { output_.failure("no step finished"); }).join();
  if (!root_) return;
  const json document = json::parse(directory_.read("run.json"));
  EXPECT_EQ(document.at("error"), "no step finished");
  EXPECT_EQ(document.at("exit_code"), 3);
  EXPECT_EQ(document.at("runs").size(), 2U);
  EXPECT_FALSE(fs::exists(report().string() + ".journal"));
}

TEST_F(JobOutputTest, ARunIsOnTheDiskUncheckedUntilItIsCheckedAndThenInTheTable) {
  options_.outputs.csv = directory_ / "runs.csv";
  output_.open(world_, options_, dat_);
  output_.begin({.program = {"xhpl", "1"}}, {RunSpec{.order = 1}});
  const auto document = [this] { return json::parse(directory_.read("run.json")); };
  RunResult run{.spec = {.order = 1}, .seconds = 1, .gflops = 1};
  output_.unchecked(run);
  if (root_) {
    EXPECT_EQ(document().at("runs").at(0).at("status"), "unchecked");
    EXPECT_EQ(document().at("tally").at("unchecked"), 1);
    EXPECT_EQ(directory_.read("runs.csv").find("unchecked"), std::string::npos);
  }
  run.residual = Residual{.scaled = 0.01, .passed = true};
  output_.run(run);
  output_.keep(run);
  const ExitCode code = output_.close({}, 16);
  EXPECT_EQ(code, ExitCode::Passed);
  if (!root_) return;
  ASSERT_EQ(document().at("runs").size(), 1U);
  EXPECT_EQ(document().at("runs").at(0).at("status"), "passed");
  EXPECT_EQ(document().at("tally").at("unchecked"), 0);
  EXPECT_EQ(document().at("tally").at("passed"), 1);
}

TEST_F(JobOutputTest, RunsThatCompleteWhileTheJobEndsAreInNoReport) {
  output_.open(world_, options_, dat_);
  output_.begin({.program = {"xhpl", "1"}}, {RunSpec{.order = 1}});
  output_.run(RunResult{});
  output_.keep(RunResult{});
  output_.failure("ended from outside");
  const auto text_size = [this] { return root_ ? fs::file_size(dat_.output_file) : 0; };
  const auto before = text_size();
  output_.run(RunResult{});
  output_.keep(RunResult{});
  output_.repeats({RunResult{}, RunResult{}});
  EXPECT_EQ(text_size(), before);
  if (!root_) return;
  EXPECT_GT(before, 0U);
  EXPECT_EQ(json::parse(directory_.read("run.json")).at("runs").size(), 1U);
}

}  // namespace
}  // namespace hpl
