#include "hpl/machine/host/environment.h"

#include <map>

#include <gtest/gtest.h>

namespace hpl {
namespace {

using Variables = std::map<std::string, std::string>;

const CpuFeatures kAvx2{"avx", "avx2", "fma"};

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
      blas, kAvx2);
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
  const auto list = missing_environment(lookup, open_blas("Haswell"), kAvx2, wanted);
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
