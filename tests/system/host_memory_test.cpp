#include <filesystem>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using HostMemory = XhplTest;

bool says(const Outcome& outcome, const std::string& text) {
  return outcome.errors.find(text) != std::string::npos;
}

TEST_F(HostMemory, HoldsAMatrixThatIsTooLargeForTheDevice) {
  const std::vector<std::string> size{"-N", "1000", "--NB", "32", "--no-ceiling", "--no-check"};
  const auto run = [&](int ranks, std::vector<std::string> words) {
    words.insert(words.end(), size.begin(), size.end());
    return ranks == 1 ? alone(words) : mpirun(ranks, words);
  };
  const Outcome refused = run(1, {"--device-memory", "5M"});
  EXPECT_EQ(refused.exit_code, 2) << describe(refused);
  EXPECT_TRUE(says(refused, "but 5.0 MB are available (--device-memory)")) << describe(refused);
  EXPECT_TRUE(says(refused, "--matrix host uses host memory as well")) << describe(refused);
  for (const char* const matrix : {"host", "auto"}) {
    const Outcome outcome = run(1, {"--matrix", matrix, "--device-memory", "5M"});
    EXPECT_TRUE(all_passed(outcome, 1));
    EXPECT_NE(outcome.output.find("# remark: matrix in host memory: of 1008 columns a rank"),
              std::string::npos)
        << describe(outcome);
    EXPECT_NE(outcome.output.find("# matrix load "), std::string::npos) << describe(outcome);
  }
  const Outcome grid = mpirun(4, {"-N",
                                  "2000",
                                  "--NB",
                                  "64",
                                  "-P",
                                  "2",
                                  "-Q",
                                  "2",
                                  "--no-ceiling",
                                  "--no-check",
                                  "--matrix",
                                  "host",
                                  "--device-memory",
                                  "9M",
                                  "--chunk",
                                  "256",
                                  "--verify-steps",
                                  "--json",
                                  "run.json",
                                  "--trace",
                                  "trace.json"});
  EXPECT_TRUE(all_passed(grid, 1));
  const auto report = nlohmann::json::parse(read_file("run.json"));
  EXPECT_NE(report.at("runs").at(0).at("phases").dump().find("matrix load"), std::string::npos);
  EXPECT_NE(read_file("trace.json").find("load stream"), std::string::npos);
}

TEST_F(HostMemory, IsNotUsedWhereTheDeviceHoldsAll) {
  const Outcome outcome = alone({"-N", "200", "--NB", "32", "--no-ceiling", "--matrix", "host"});
  EXPECT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ(outcome.output.find("matrix in host memory"), std::string::npos) << describe(outcome);
  EXPECT_EQ(outcome.output.find("# matrix load "), std::string::npos) << describe(outcome);
}

TEST_F(HostMemory, RunsTheThreeStagePipelineToo) {
  const Outcome outcome =
      alone({"-N", "500", "--NB", "16", "--no-ceiling", "--no-check", "--matrix", "host",
             "--device-memory", "1500K", "--host-schedule", "three-stage"});
  EXPECT_TRUE(all_passed(outcome, 1));
  EXPECT_NE(outcome.output.find("16 stay on the device, the others visit it for 1 step(s)"),
            std::string::npos)
      << describe(outcome);
}

TEST_F(HostMemory, BadRequestsAreRefused) {
  const auto expect_refused = [&](const std::vector<std::string>& words, const std::string& what) {
    const Outcome outcome = alone(words);
    EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
    EXPECT_TRUE(says(outcome, what)) << describe(outcome);
  };
  expect_refused({"-N", "100", "--device-memory", "much"},
                 "--device-memory must be an amount of memory such as 40G or 512MiB, found "
                 "\"much\"");
  expect_refused({"-N", "100", "--NB", "32", "--matrix", "host", "--visit-columns", "7"},
                 "--visit-columns must divide NB = 32, found 7");
  expect_refused(
      {"-N", "100", "--matrix", "host", "--host-schedule", "three-stage", "--visit-steps", "2"},
      "--host-schedule three-stage and --visit-steps contradict each other");
  expect_refused({"-N", "1000", "--NB", "64", "--matrix", "host", "--device-memory", "1M"},
                 "the largest N that fits with NB = 64 is ");
}

}  // namespace
}  // namespace hpl::test
