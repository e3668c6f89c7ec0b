#include "hpl/machine/host/launch.h"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "hpl/base/error/error.h"
#include "hpl/machine/host/environment.h"
#include "support/message_of.h"

namespace hpl {
namespace {

EnvironmentLookup environment(std::map<std::string, std::string> values) {
  return [values](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Launch, OfAProcessStartedAloneIsTheFirstOfOne) {
  EXPECT_EQ(launch(environment({})).rank, 0);
  EXPECT_EQ(launch(environment({})).ranks, 1);
}

TEST(Launch, IsReadFromTheVariablesOfTheLauncher) {
  const Launch open_mpi =
      launch(environment({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "6"}}));
  EXPECT_EQ(open_mpi.rank, 3);
  EXPECT_EQ(open_mpi.ranks, 6);
  const Launch slurm =
      launch(environment({{"SLURM_PROCID", "17"}, {"SLURM_STEP_NUM_TASKS", "32"}}));
  EXPECT_EQ(slurm.rank, 17);
  EXPECT_EQ(slurm.ranks, 32);
}

TEST(Launch, InAShellOfSlurmIsAlone) {
  const Launch alone = launch(environment(
      {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PTY_PORT", "37141"}}));
  EXPECT_EQ(alone.ranks, 1);
  EXPECT_EQ(foreign_launcher(alone, 1, "Open MPI"), std::nullopt);
}

TEST(Launch, AVariableThatIsNoNumberCountsAsUnset) {
  const Launch odd =
      launch(environment({{"OMPI_COMM_WORLD_RANK", "-1"}, {"OMPI_COMM_WORLD_SIZE", "many"}}));
  EXPECT_EQ(odd.rank, 0);
  EXPECT_EQ(odd.ranks, 1);
}

TEST(Launch, OfAnotherMpiIsNamedWithWhatToDo) {
  const Launch four = launch(environment({{"PMI_SIZE", "4"}, {"PMI_RANK", "1"}}));
  EXPECT_EQ(foreign_launcher(four, 4, "MPICH Version: 4.0"), std::nullopt);
  EXPECT_EQ(foreign_launcher(launch(environment({})), 1, "MPICH Version: 4.0"), std::nullopt);
  const std::string message = foreign_launcher(four, 1, "Open MPI v4.1.4").value_or("");
  EXPECT_TRUE(message.starts_with("PMI_SIZE counts 4 processes, but Open MPI v4.1.4, ")) << message;
}

TEST(Launch, OfAnotherMpiIsKnownByARankAboveZeroThatIsAlone) {
  const Launch second = launch(environment({{"PMIX_RANK", "1"}}));
  EXPECT_EQ(foreign_launcher(second, 2, "Open MPI v5.0.3"), std::nullopt);
  const std::string message = foreign_launcher(second, 1, "MPICH Version: 4.0").value_or("");
  EXPECT_TRUE(message.starts_with("PMIX_RANK is 1, but MPICH Version: 4.0, ")) << message;
}

TEST(Launch, KnowsTheRankOnItsHost) {
  EXPECT_EQ(launch(environment({{"PMI_RANK", "9"}, {"MPI_LOCALRANKID", "1"}})).rank_on_host, 1);
  EXPECT_EQ(launch(environment({{"PMI_RANK", "9"}})).rank_on_host, 0);
}

TEST(Launch, AnEmptyPathIsAnObstacle) {
  const auto count = [](const EnvironmentLookup& lookup) {
    const auto found = obstacles_to_start(lookup);
    return std::count(found.begin(), found.end(), "PATH is empty");
  };
  EXPECT_EQ(count(environment({})), 1);
  EXPECT_EQ(count(environment({{"PATH", "/bin"}})), 0);
}

TEST(Launch, TooFewFilesForAnyMpiAreRefusedBeforeItTries) {
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  ASSERT_GT(usual.rlim_cur, 16U);
  EXPECT_NO_THROW(require_files_to_start());
  const rlimit few{.rlim_cur = 15, .rlim_max = usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::string message = test::message_of<RunError>(require_files_to_start);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_EQ(message, "MPI cannot start; only 15 files may be open (ulimit -n)");
}

using Variables = std::map<std::string, std::string>;

BlasInfo open_blas(const std::string& kernel) {
  BlasInfo info;
  info.name = "OpenBLAS";
  info.kernel = kernel;
  info.selects_at_start = true;
  return info;
}

Variables missing(const Variables& set_by_user, const BlasInfo& blas) {
  const auto list = missing_environment(
      [&](const char* name) -> std::optional<std::string> {
        const auto place = set_by_user.find(name);
        return place == set_by_user.end() ? std::nullopt : std::optional(place->second);
      },
      blas, CpuFeatures{"avx", "avx2", "fma"});
  return {list.begin(), list.end()};
}

TEST(Environment, AsksForOneThreadPerCallWhereTheUserSaidNothing) {
  EXPECT_EQ(missing({}, open_blas("Haswell")), (Variables{{"OPENBLAS_NUM_THREADS", "1"},
                                                          {"OMP_NUM_THREADS", "1"},
                                                          {"MKL_NUM_THREADS", "1"},
                                                          {"BLIS_NUM_THREADS", "1"},
                                                          {"HPL_REEXEC", "1"}}));
}

TEST(Environment, LeavesTheUsersThreadsAlone) {
  const auto found = missing({{"OMP_NUM_THREADS", "8"}}, open_blas("Haswell"));
  EXPECT_EQ(found.count("OMP_NUM_THREADS"), 0U);
  EXPECT_EQ(found.count("OPENBLAS_NUM_THREADS"), 1U);
}

TEST(Environment, MendsAKernelBelowTheMachineAndRemembersWhatWasPicked) {
  const auto found = missing({}, open_blas("Prescott"));
  EXPECT_EQ(found.at("OPENBLAS_CORETYPE"), "Haswell");
  EXPECT_EQ(found.at("HPL_BLAS_PICKED"), "Prescott");
}

TEST(Environment, TheUsersKernelWins) {
  const auto found = missing({{"OPENBLAS_CORETYPE", "Prescott"}}, open_blas("Prescott"));
  EXPECT_EQ(found.count("OPENBLAS_CORETYPE"), 0U);
  EXPECT_EQ(found.count("HPL_BLAS_PICKED"), 0U);
}

TEST(Environment, AsksForNoKernelWhereTheLibraryCannotSwitch) {
  auto fixed = open_blas("Prescott");
  fixed.selects_at_start = false;
  EXPECT_EQ(missing({}, fixed).count("OPENBLAS_CORETYPE"), 0U);
}

TEST(Environment, AsksForWhatDevicesWantUnlessTheUserSaidOtherwise) {
  const std::vector<hpcx::EnvironmentVariable> wanted{{"DEVICE_LOADS", "EARLY"},
                                                      {"DEVICE_QUEUES", "32"}};
  const auto lookup = [](const char* name) -> std::optional<std::string> {
    if (name == std::string("DEVICE_QUEUES")) return "8";
    return std::nullopt;
  };
  const auto list =
      missing_environment(lookup, open_blas("Haswell"), CpuFeatures{"avx", "avx2", "fma"}, wanted);
  const Variables found(list.begin(), list.end());
  EXPECT_EQ(found.at("DEVICE_LOADS"), "EARLY");
  EXPECT_EQ(found.count("DEVICE_QUEUES"), 0U);
}

TEST(Environment, RestartsAtMostOnce) {
  EXPECT_TRUE(missing({{"HPL_REEXEC", "1"}}, open_blas("Prescott")).empty());
}

TEST(Environment, NeedsNoRestartWhenTheUserSetEverything) {
  EXPECT_TRUE(missing({{"OPENBLAS_NUM_THREADS", "1"},
                       {"OMP_NUM_THREADS", "2"},
                       {"MKL_NUM_THREADS", "1"},
                       {"BLIS_NUM_THREADS", "1"}},
                      open_blas("Haswell"))
                  .empty());
}

}  // namespace
}  // namespace hpl
