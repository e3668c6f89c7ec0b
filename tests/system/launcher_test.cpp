#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

/// scripts/launch/xhpl-mpirun
using Launcher = XhplTest;

TEST_F(Launcher, RunsTheProgramWithItsArguments) {
  EXPECT_TRUE(all_passed(
      launcher({"-n", "2", "-N", "60", "--NB", "8", "-P", "2", "-Q", "1", "--no-attainable"}), 1));
}

TEST_F(Launcher, HandsOnTheExitCodeOfTheProgram) {
  EXPECT_EQ(launcher({"-n", "1", "-N", "60", "-P", "1", "-Q", "1", "--threshold", "1e-30",
                      "--no-attainable"})
                .exit_code,
            1);
  EXPECT_TRUE(refused(launcher({"-n", "1", "--NB", "0"}), "--NB must be"));
}

TEST_F(Launcher, PrintsItsCommand) {
  const Outcome outcome = launcher({"-n", "8", "--per-node", "4", "--launcher", "mpirun", "--print",
                                    "--tag-output", "--", "-N", "10"});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  for (const char* const part : {"mpirun ", "-np 8 ", "--tag-output ", " -N 10"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << describe(outcome);
}

TEST_F(Launcher, StartsEquallyManyRanksOnTheHostsThatItIsGiven) {
  const Outcome outcome =
      launcher({"--hosts", "n[1-3]", "--per-node", "2", "--launcher", "mpirun", "--print"});
  EXPECT_NE(outcome.output.find("-np 6 "), std::string::npos) << describe(outcome);
  EXPECT_NE(outcome.output.find("n1:2\\,n2:2\\,n3:2 "), std::string::npos) << describe(outcome);
  const Outcome uneven = launcher({"--hosts", "n[1-3]", "-n", "4", "--launcher", "mpirun"});
  EXPECT_EQ(uneven.exit_code, 2) << describe(uneven);
}

TEST_F(Launcher, SpeaksToTheLauncherOfMpichInItsWords) {
  write_file("mpiexec.some", "#!/bin/sh\necho HYDRA build details:\n");
  std::filesystem::permissions(directory() / "mpiexec.some", std::filesystem::perms::owner_all);
  const Outcome outcome =
      launcher({"--hosts", "n[1-3]", "--per-node", "2", "--launcher", "./mpiexec.some", "--print"});
  EXPECT_TRUE(outcome.output.starts_with(
      "./mpiexec.some -bind-to none -hosts n1:2\\,n2:2\\,n3:2 -ppn 2 -np 6 "))
      << describe(outcome);
}

TEST_F(Launcher, RefusesWrongOptionsInWords) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-n", "0"}, {"--per-node", "x"}, {"--launcher", "ssh"}, {"-n"}}) {
    const Outcome outcome = launcher(words);
    EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
    EXPECT_TRUE(outcome.errors.starts_with("xhpl-mpirun: ")) << describe(outcome);
  }
}

TEST_F(Launcher, OfAnotherMpiIsNamedOnceAndRunsNothing) {
  const std::string other = kHydra ? "OMPI_COMM_WORLD" : "PMI";
  for (const std::string rank : {"0", "1"}) {
    const Outcome outcome = run({.words = {HPL_XHPL_PATH, "-N", "60", "--json", "run.json"},
                                 .directory = directory(),
                                 .environment = {{other + "_SIZE", "2"}, {other + "_RANK", rank}}});
    EXPECT_EQ(outcome.exit_code, 3) << describe(outcome);
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.errors.find(other + "_SIZE counts 2 processes") != std::string::npos,
              rank == "0")
        << describe(outcome);
    EXPECT_FALSE(std::filesystem::exists(directory() / "run.json"));
  }
}

TEST_F(Launcher, IsFoundByTheProgramAndHandsOnStandardInput) {
  write_dat({.orders = {60}, .grid_rows = {1}, .grid_columns = {2}});
  const Outcome outcome = run({.words = {"sh", "-c",
                                         "\"$0\" launch --launcher " HPL_MPIEXEC " -n 2 "
                                         "run --dat - --no-attainable < HPL.dat",
                                         HPL_XHPL_PATH},
                               .directory = directory(),
                               .environment = {}});
  EXPECT_TRUE(all_passed(outcome, 1));
}

}  // namespace
}  // namespace hpl::test
