#include <filesystem>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using HostMemory = XhplTest;

TEST_F(HostMemory, HoldsAMatrixThatIsTooLargeForTheDevice) {
  const Words job = "-N 1000 --NB 32 --no-attainable --no-check --device-memory 5M";
  const Outcome refused = alone(job);
  EXPECT_TRUE(ended_with(
      refused, 2,
      {"but 5.0 MB are available (--device-memory)", "--matrix host uses host memory as well"}));
  for (const char* const matrix : {"host", "auto"}) {
    const Outcome outcome = alone(job + Words{"-v", "--matrix", matrix});
    EXPECT_TRUE(all_passed(outcome, 1));
    EXPECT_TRUE(shows(
        outcome, {"# remark: matrix in host memory: of 1008 columns a rank", "# matrix load "}));
  }
  const Outcome grid =
      mpirun(4,
             "-N 2000 --NB 64 -P 2 -Q 2 --no-attainable --no-check --matrix host --device-memory "
             "9M --chunk 256 --verify always --json run.json --trace trace.json");
  EXPECT_TRUE(all_passed(grid, 1));
  const auto report = json_file("run.json");
  EXPECT_NE(report.at("runs").at(0).at("phases").dump().find("matrix load"), std::string::npos);
  EXPECT_NE(read_file("trace.json").find("load stream"), std::string::npos);
}

TEST_F(HostMemory, IsNotUsedWhereTheDeviceHoldsAll) {
  const Outcome outcome = alone("-N 200 --NB 32 --no-attainable --matrix host --verbose");
  EXPECT_TRUE(all_passed(outcome, 1));
  for (const char* const part : {"matrix in host memory", "# matrix load "})
    EXPECT_FALSE(shows(outcome, {part}));
}

TEST_F(HostMemory, IsExplained) {
  const Outcome outcome = alone(
      "plan -N 1000 --NB 32 --matrix host --device-memory 5M --pinned-memory 2M --no-attainable");
  EXPECT_TRUE(ended_with(outcome, 0,
                         {"host memory of a rank ", "the part of the matrix that", "does not fit",
                          "--pinned-memory: 2.0 MB", "pinned at most"}));
}

TEST_F(HostMemory, RunsTheThreeStagePipelineToo) {
  const Outcome outcome = alone(
      "-N 500 --NB 16 --no-attainable --no-check --matrix host:schedule=three-stage "
      "--device-memory 1500K");
  EXPECT_TRUE(all_passed(outcome, 1));
  EXPECT_TRUE(shows(outcome, {"16 stay on the device, the others visit it for 1 step at"}));
}

TEST_F(HostMemory, IsCopiedThroughAStagingAreaAsFarAsItIsNotPinned) {
  const auto hash = [&](const Words& more) {
    const Words words =
        "-N 600 --NB 32 -P 1 -Q 2 --no-check --matrix host --device-memory 2500K --json run.json";
    const Outcome outcome = mpirun(2, words + more);
    EXPECT_TRUE(all_passed(outcome, 1));
    for (const char* const part :
         {"are pinned", "# remark: 0 kB of ",
          " of the matrix in host memory are pinned: no more than 1000 bytes "
          "of it may be pinned (--pinned-memory); copies of the rest go through "
          "a staging area of ",
          "; so on 2 ranks"})
      EXPECT_EQ(bool(shows(outcome, {part})), !more.empty()) << describe(outcome);
    return json_file("run.json").at("runs").at(0).at("solution_hash");
  };
  EXPECT_EQ(hash("--pinned-memory 1K"), hash({}));
}

TEST_F(HostMemory, ThatIsGoneInTheMiddleEndsTheJobWithWhatWasDone) {
  // On one of two ranks: at once; after some of eight runs, of which each needs more than 8
  // allocations and less than 60.
  for (const int maps : {1, 60}) {
    const std::string little =
        "if [ " + kShellRank +
        " = 1 ]; then export UCX_MEM_EVENTS=no XHPL_TEST_MAPS=" + std::to_string(maps) +
        " LD_PRELOAD=" HPL_LITTLE_MEMORY "; fi; exec \"$0\" \"$@\"";
    const Outcome outcome =
        mpirun_words(Words{"-np", "2", "sh", "-c", little, HPL_XHPL_PATH} +
                     "-N 200 --NB 16 -P 1 -Q 2 --repeat 8 --no-check --no-attainable --matrix host "
                     "--device-memory 1M --json run.json");
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
      EXPECT_EQ(json_file("run.json").at("runs").size(), passed);
    }
  }
}

TEST_F(HostMemory, IsUpdatedByTheHostsCoresToo) {
  const Words words =
      "-N 1000 --NB 48 --no-attainable --no-check --matrix host:share=0.25 --device-memory 6M "
      "--json run.json --trace trace.json --verbose";
  for (const int ranks : {1, 2}) {
    const Outcome outcome = ranks == 1 ? alone(words) : mpirun(ranks, words + "-P 2");
    EXPECT_TRUE(all_passed(outcome, 1));
    EXPECT_TRUE(shows(outcome, {"# host share: ", "# host update "}));
    const auto share = json_file("run.json").at("runs").at(0).at("host_share");
    EXPECT_EQ(share.at("first"), 0.25);
    EXPECT_GT(share.at("share"), 0.05);
    EXPECT_LE(share.at("share"), 0.3);
    EXPECT_NE(read_file("trace.json").find("host worker"), std::string::npos);
  }
}

TEST_F(HostMemory, OfACpuKeepsItsCoresUnlessAskedForAFraction) {
  const Outcome outcome = alone(
      "-N 500 --NB 16 --no-attainable --no-check --matrix host:share=auto --device-memory 1500K");
  EXPECT_TRUE(all_passed(outcome, 1));
  EXPECT_TRUE(shows(outcome, {"the host takes no part, its cores are the device"}));
  EXPECT_FALSE(shows(outcome, {"# host share: "}));
  const Outcome fits = alone("-N 200 --NB 32 --no-attainable --no-check --matrix auto:share=0.5");
  EXPECT_TRUE(all_passed(fits, 1));
  EXPECT_TRUE(shows(fits, {"no columns are in host memory, the host takes no part"}));
}

TEST_F(HostMemory, ThatIsTooLittleIsRefusedWithTheOrderThatFits) {
  EXPECT_TRUE(ended_with(alone("-N 1000 --NB 64 --matrix host --device-memory 1M"), 2,
                         {"the largest N that fits with NB = 64 is "}));
  EXPECT_TRUE(ended_with(alone("-N 1000 --NB 1000 --matrix host --device-memory 5M"), 2,
                         {"but 5.0 MB are available (--device-memory); the largest N that fits "
                          "with NB = 1000 is 0; a smaller NB needs smaller workspaces"}));
  EXPECT_TRUE(ended_with(alone("-N 3000000 --NB 256 --matrix host"), 2,
                         {"the largest N that fits with NB = 256 is "}));
}

}  // namespace
}  // namespace hpl::test
