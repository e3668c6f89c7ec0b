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
  const std::vector<std::string> size{"-N", "1000", "--NB", "32", "--no-attainable", "--no-check"};
  const auto run = [&](int ranks, std::vector<std::string> words) {
    words.insert(words.end(), size.begin(), size.end());
    return ranks == 1 ? alone(words) : mpirun(ranks, words);
  };
  const Outcome refused = run(1, {"--device-memory", "5M"});
  EXPECT_EQ(refused.exit_code, 2) << describe(refused);
  EXPECT_TRUE(says(refused, "but 5.0 MB are available (--device-memory)")) << describe(refused);
  EXPECT_TRUE(says(refused, "--matrix host uses host memory as well")) << describe(refused);
  for (const char* const matrix : {"host", "auto"}) {
    const Outcome outcome = run(1, {"--matrix", matrix, "--device-memory", "5M", "-v"});
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
                                  "--no-attainable",
                                  "--no-check",
                                  "--matrix",
                                  "host",
                                  "--device-memory",
                                  "9M",
                                  "--chunk",
                                  "256",
                                  "--verify",
                                  "always",
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
  const Outcome outcome =
      alone({"-N", "200", "--NB", "32", "--no-attainable", "--matrix", "host", "--verbose"});
  EXPECT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ(outcome.output.find("matrix in host memory"), std::string::npos) << describe(outcome);
  EXPECT_EQ(outcome.output.find("# matrix load "), std::string::npos) << describe(outcome);
}

TEST_F(HostMemory, IsExplained) {
  const Outcome outcome =
      alone({"plan", "-N", "1000", "--NB", "32", "--matrix", "host", "--device-memory", "5M",
             "--pinned-memory", "2M", "--no-attainable"});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_NE(outcome.output.find("host memory of a rank "), std::string::npos) << describe(outcome);
  EXPECT_NE(outcome.output.find("the part of the matrix that does not fit the device"),
            std::string::npos)
      << describe(outcome);
  EXPECT_NE(outcome.output.find("--pinned-memory: 2.0 MB of it pinned at most"), std::string::npos)
      << describe(outcome);
}

TEST_F(HostMemory, RunsTheThreeStagePipelineToo) {
  const Outcome outcome =
      alone({"-N", "500", "--NB", "16", "--no-attainable", "--no-check", "--matrix",
             "host:schedule=three-stage", "--device-memory", "1500K"});
  EXPECT_TRUE(all_passed(outcome, 1));
  EXPECT_NE(outcome.output.find("16 stay on the device, the others visit it for 1 step at"),
            std::string::npos)
      << describe(outcome);
}

TEST_F(HostMemory, IsCopiedThroughAStagingAreaAsFarAsItIsNotPinned) {
  const auto hash = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"-N",         "600",      "--NB",    "32",
                                   "-P",         "1",        "-Q",      "2",
                                   "--no-check", "--matrix", "host",    "--device-memory",
                                   "2500K",      "--json",   "run.json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = mpirun(2, words);
    EXPECT_TRUE(all_passed(outcome, 1));
    EXPECT_EQ(outcome.output.find("are pinned") == std::string::npos, more.empty())
        << describe(outcome);
    for (const char* const part :
         {"# remark: 0 kB of ",
          " of the matrix in host memory are pinned: no more than 1000 bytes "
          "of it may be pinned (--pinned-memory); copies of the rest go through "
          "a staging area of ",
          "; so on 2 ranks"})
      EXPECT_EQ(outcome.output.find(part) == std::string::npos, more.empty()) << describe(outcome);
    return nlohmann::json::parse(read_file("run.json")).at("runs").at(0).at("solution_hash");
  };
  EXPECT_EQ(hash({"--pinned-memory", "1K"}), hash({}));
}

TEST_F(HostMemory, ThatIsGoneInTheMiddleEndsTheJobWithWhatWasDone) {
  // On one of two ranks: at once; after some of eight runs, of which each needs more than 8
  // allocations and less than 60.
  for (const int maps : {1, 60}) {
    const Outcome outcome =
        mpirun_words({"-np",
                      "2",
                      "sh",
                      "-c",
                      "if [ " + kShellRank +
                          " = 1 ]; then export UCX_MEM_EVENTS=no LD_PRELOAD=" HPL_LITTLE_MEMORY
                          " XHPL_TEST_MAPS=" +
                          std::to_string(maps) + "; fi; exec \"$0\" \"$@\"",
                      HPL_XHPL_PATH,
                      "-N",
                      "200",
                      "--NB",
                      "16",
                      "-P",
                      "1",
                      "-Q",
                      "2",
                      "--repeat",
                      "8",
                      "--no-check",
                      "--no-attainable",
                      "--matrix",
                      "host",
                      "--device-memory",
                      "1M",
                      "--json",
                      "run.json"});
    EXPECT_EQ(outcome.exit_code, 3) << describe(outcome);
    int messages = 0;
    std::size_t passed = 0;
    for (const std::string& line : split_lines(outcome.output + outcome.errors)) {
      if (line.find("PASSED") != std::string::npos) ++passed;
      if (line.find("xhpl: ") == std::string::npos) continue;
      ++messages;
      EXPECT_NE(line.find("rank 1 on "), std::string::npos) << line;
      EXPECT_NE(line.find("bytes of memory left"), std::string::npos) << line;
    }
    EXPECT_EQ(messages, 1) << describe(outcome);
    EXPECT_EQ(passed > 0, maps > 1) << describe(outcome);
    EXPECT_LT(passed, 8u);
    if (passed > 0) {
      EXPECT_EQ(nlohmann::json::parse(read_file("run.json")).at("runs").size(), passed);
    }
  }
}

TEST_F(HostMemory, IsUpdatedByTheHostsCoresToo) {
  const std::vector<std::string> words{"-N",
                                       "1000",
                                       "--NB",
                                       "48",
                                       "--no-attainable",
                                       "--no-check",
                                       "--matrix",
                                       "host:share=0.25",
                                       "--device-memory",
                                       "6M",
                                       "--json",
                                       "run.json",
                                       "--trace",
                                       "trace.json",
                                       "--verbose"};
  for (const int ranks : {1, 2}) {
    std::vector<std::string> all = words;
    if (ranks == 2) all.insert(all.end(), {"-P", "2"});
    const Outcome outcome = ranks == 1 ? alone(all) : mpirun(ranks, all);
    EXPECT_TRUE(all_passed(outcome, 1));
    EXPECT_NE(outcome.output.find("# host share: "), std::string::npos) << describe(outcome);
    EXPECT_NE(outcome.output.find("# host update "), std::string::npos) << describe(outcome);
    const auto share =
        nlohmann::json::parse(read_file("run.json")).at("runs").at(0).at("host_share");
    EXPECT_EQ(share.at("first"), 0.25);
    EXPECT_GT(share.at("share"), 0.05);
    EXPECT_LE(share.at("share"), 0.3);
    EXPECT_NE(read_file("trace.json").find("host worker"), std::string::npos);
  }
}

TEST_F(HostMemory, OfACpuKeepsItsCoresUnlessAskedForAFraction) {
  const Outcome outcome = alone({"-N", "500", "--NB", "16", "--no-attainable", "--no-check",
                                 "--matrix", "host:share=auto", "--device-memory", "1500K"});
  EXPECT_TRUE(all_passed(outcome, 1));
  EXPECT_NE(outcome.output.find("the host takes no part, its cores are the device"),
            std::string::npos)
      << describe(outcome);
  EXPECT_EQ(outcome.output.find("# host share: "), std::string::npos) << describe(outcome);
  const Outcome fits = alone(
      {"-N", "200", "--NB", "32", "--no-attainable", "--no-check", "--matrix", "auto:share=0.5"});
  EXPECT_TRUE(all_passed(fits, 1));
  EXPECT_NE(fits.output.find("no columns are in host memory, the host takes no part"),
            std::string::npos)
      << describe(fits);
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
  expect_refused({"-N", "100", "--NB", "32", "--matrix", "host:columns=7"},
                 "--matrix: columns must divide NB = 32, found 7");
  expect_refused({"-N", "100", "--matrix", "host:share=1.5"},
                 "share must be auto or a fraction from 0 to 1, found \"1.5\"");
  expect_refused({"-N", "1000", "--NB", "64", "--matrix", "host", "--device-memory", "1M"},
                 "the largest N that fits with NB = 64 is ");
  expect_refused({"-N", "1000", "--NB", "1000", "--matrix", "host", "--device-memory", "5M"},
                 "but 5.0 MB are available (--device-memory); the largest N that fits with NB = "
                 "1000 is 0; a smaller NB needs smaller workspaces");
  expect_refused({"-N", "3000000", "--NB", "256", "--matrix", "host"},
                 "the largest N that fits with NB = 256 is ");
}

}  // namespace
}  // namespace hpl::test
