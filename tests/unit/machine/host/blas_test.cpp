#include "hpl/machine/host/blas.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl {
namespace {

const CpuFeatures kAvx512{"avx",      "avx2",     "fma",      "avx512f",
                          "avx512dq", "avx512bw", "avx512vl", "avx512cd"};
const CpuFeatures kAvx2{"avx", "avx2", "fma"};
const BlasInfo kOpenBlas{.name = "OpenBLAS",
                         .version = "0.3.21",
                         .kernel = "SkylakeX",
                         .threading = "pthread",
                         .library = "/lib/libopenblas.so.0",
                         .selects_at_start = true};

TEST(BlasKernel, SseOnAnAvx512MachineShouldBeSkylakeX) {
  EXPECT_EQ(better_core_type("Prescott", kAvx512), "SkylakeX");
  EXPECT_EQ(better_core_type("Haswell", kAvx512), "SkylakeX");
}

TEST(BlasKernel, SseOnAnAvx2MachineShouldBeHaswell) {
  EXPECT_EQ(better_core_type("Prescott", kAvx2), "Haswell");
  EXPECT_EQ(better_core_type("SANDYBRIDGE", kAvx2), "Haswell");
}

TEST(BlasKernel, AnyMissingPartOfAvx512RulesSkylakeXOut) {
  for (const auto* part : {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"}) {
    auto features = kAvx512;
    features.erase(part);
    EXPECT_EQ(better_core_type("Prescott", features), "Haswell") << part;
    EXPECT_FALSE(better_core_type("Haswell", features)) << part;
  }
}

TEST(BlasKernel, Avx2WithoutFusedMultiplyAddIsNoHaswell) {
  EXPECT_EQ(better_core_type("Nehalem", {"avx", "avx2"}), "Sandybridge");
}

TEST(BlasKernel, GoodChoicesStay) {
  for (const auto* kernel : {"SkylakeX", "Cooperlake", "Sapphirerapids", "SapphireRapids"}) {
    EXPECT_FALSE(better_core_type(kernel, kAvx512)) << kernel;
  }
  EXPECT_FALSE(better_core_type("Haswell", kAvx2));
  EXPECT_FALSE(better_core_type("Prescott", {"sse2"}));
}

TEST(BlasKernel, AmdAndUnknownKernelsAreLeftAlone) {
  for (const auto* kernel : {"Zen", "Bulldozer", "Excavator", "neoversen1", "", "NEXTLAKE"}) {
    EXPECT_FALSE(better_core_type(kernel, kAvx512)) << kernel;
  }
}

/// Address space of this process in bytes.
std::int64_t address_space() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(BlasBuffers, AreRefusedWhereTheyDoNotFit) {
  if (blas_info().name != "OpenBLAS") GTEST_SKIP() << "another BLAS";
  EXPECT_EQ(test::message_of<RunError>([&] {
              claim_blas_buffers(3, MemoryBound{400'000'000, "ulimit -v of 1.00 GB"});
            }),
            "OpenBLAS needs 403 MB for the buffers of 3 compute threads, but 400 MB are "
            "available (ulimit -v of 1.00 GB): fewer threads need less");
}

/// Says on standard error what is wrong; nothing is 0.
int wrong_claims() {
#ifdef __aarch64__
  constexpr std::int64_t kBuffer = std::int64_t{32} << 20;
#else
  constexpr std::int64_t kBuffer = std::int64_t{128} << 20;
#endif
  const MemoryBound much{std::int64_t{1} << 40, "ulimit -v"};
  const std::int64_t least = blas_info().name == "OpenBLAS" ? 3 * kBuffer : 0;
  const auto grown = [](const std::optional<MemoryBound>& left) {
    const std::int64_t before = address_space();
    claim_blas_buffers(3, left);
    return address_space() - before;
  };
  const std::int64_t unlimited = grown(std::nullopt), first = grown(much), again = grown(much);
  std::fprintf(stderr, "%ld bytes without a limit, %ld with one, %ld the second time\n",
               static_cast<long>(unlimited), static_cast<long>(first), static_cast<long>(again));
  return unlimited < kBuffer && first >= least && again < kBuffer ? 0 : 1;
}

// In a process of its own, where no other test has taken buffers, and without threads of OpenBLAS,
// each of which takes one whenever it first runs.
TEST(BlasBuffers, AreTakenOnceWhereThereIsALimit) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  EXPECT_EXIT(std::_Exit(wrong_claims()), testing::ExitedWithCode(0), "the second time");
  ::unsetenv("OPENBLAS_NUM_THREADS");
}

/// Shares that looks show, one after the other; the last one goes on.
ShareOfOthers shares(std::vector<double> all) {
  return [all = std::move(all), next = std::size_t{0}]() mutable {
    return all[std::min(next++, all.size() - 1)];
  };
}

bool found(std::vector<double> without_call, std::vector<double> during_call) {
  return has_helpers(shares(std::move(without_call)), shares(std::move(during_call)), [] {});
}

TEST(BlasThreads, AreHelpersIfTheyWorkInEachCallAlone) {
  EXPECT_TRUE(found({0}, {1}));
  EXPECT_TRUE(found({1}, {2})) << "beside a busy thread of MPI";
  EXPECT_FALSE(found({0}, {0.1}));
  EXPECT_FALSE(found({1}, {1}));
  EXPECT_FALSE(found({0, 1}, {1})) << "a thread that is busy at times";
  EXPECT_FALSE(found({0}, {1, 1, 1, 0}));
  EXPECT_FALSE(found({0}, {1, 0})) << "busy until the pause";
}

TEST(BlasConfig, TellsVersionAndWhetherTheKernelIsChosenAtStart) {
  BlasInfo info;
  parse_openblas_config(
      "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Prescott MAX_THREADS=64", info);
  EXPECT_EQ(info.name, "OpenBLAS");
  EXPECT_EQ(info.version, "0.3.21");
  EXPECT_TRUE(info.selects_at_start);

  BlasInfo fixed;
  parse_openblas_config("OpenBLAS 0.3.26 NO_AFFINITY USE_OPENMP HASWELL MAX_THREADS=64", fixed);
  EXPECT_FALSE(fixed.selects_at_start);

  BlasInfo old;
  parse_openblas_config("NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Haswell", old);
  EXPECT_EQ(old.version, "");
  EXPECT_TRUE(old.selects_at_start);
}

TEST(BlasDescription, SaysWhoChoseTheKernel) {
  EXPECT_EQ(describe_blas(kOpenBlas, {}), "OpenBLAS 0.3.21, kernel SkylakeX, pthread");
  EXPECT_EQ(
      describe_blas(kOpenBlas,
                    {.requested = "SkylakeX", .by_program = true, .picked_by_library = "Prescott"}),
      "OpenBLAS 0.3.21, kernel SkylakeX (chosen by xhpl; the library had picked Prescott), "
      "pthread");
  EXPECT_EQ(describe_blas(kOpenBlas,
                          {.requested = "SKYLAKEX", .by_program = false, .picked_by_library = ""}),
            "OpenBLAS 0.3.21, kernel SkylakeX (the user set OPENBLAS_CORETYPE=SKYLAKEX), pthread");
  EXPECT_EQ(describe_blas({}, {}), "CBLAS");
  EXPECT_EQ(describe_blas({.library = "/lib/libblas.so.3"}, {}), "CBLAS of /lib/libblas.so.3");
}

TEST(BlasWarning, IsSilentAboutAGoodKernel) {
  EXPECT_FALSE(kernel_warning(kOpenBlas, {}, kAvx512));
}

TEST(BlasWarning, NamesTheReasonForABadOne) {
  auto slow = kOpenBlas;
  slow.kernel = "Prescott";
  const KernelChoice by_user{.requested = "Prescott", .by_program = false, .picked_by_library = ""};
  EXPECT_NE(kernel_warning(slow, by_user, kAvx512)->find("OPENBLAS_CORETYPE=Prescott holds"),
            std::string::npos);
  EXPECT_NE(kernel_warning(slow, {}, kAvx512)->find("try OPENBLAS_CORETYPE=SkylakeX"),
            std::string::npos);
  slow.selects_at_start = false;
  EXPECT_NE(kernel_warning(slow, {}, kAvx512)->find("built for Prescott alone"), std::string::npos);
}

TEST(BlasWarning, OfOtherLibrariesNamesAKernelWithoutAvx2) {
  for (const auto& [name, kernel] :
       {std::pair("BLIS", "generic"), {"BLIS", "sandybridge"}, {"MKL", "SSE4.2"}, {"MKL", "AVX"}}) {
    const BlasInfo slow{.name = name, .kernel = kernel};
    EXPECT_EQ(kernel_warning(slow, {}, kAvx2),
              std::string(name) + " uses kernel " + kernel +
                  ", but this machine has AVX2: expect a fraction of its speed");
    EXPECT_FALSE(kernel_warning(slow, {}, {"avx"}));
  }
  // Narrow on purpose: one unit for AVX-512, or none of the machine's own.
  for (const auto& [name, kernel] :
       {std::pair("BLIS", "haswell"), {"BLIS", "zen"}, {"MKL", "AVX2"}})
    EXPECT_FALSE(kernel_warning({.name = name, .kernel = kernel}, {}, kAvx512)) << kernel;
}

}  // namespace
}  // namespace hpl
