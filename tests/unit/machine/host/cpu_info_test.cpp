#include "hpl/machine/host/processor.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(CpuInfo, ReadsTheFlagsOfTheFirstProcessor) {
  const auto* text =
      "processor\t: 0\nflags\t\t: fpu avx2 fma\n\n"
      "processor\t: 1\nflags\t\t: sse\n";
  EXPECT_EQ(parse_cpu_features(text), (CpuFeatures{"avx2", "fma", "fpu"}));
}

TEST(CpuInfo, ReadsTheArmSpelling) {
  const auto* text = "processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\n";
  EXPECT_EQ(parse_cpu_features(text), (CpuFeatures{"asimd", "fp", "sve"}));
}

TEST(CpuInfo, HasNoFeaturesWithoutAFlagsLine) {
  EXPECT_TRUE(parse_cpu_features("").empty());
  EXPECT_TRUE(parse_cpu_features("vmx flags\t: ept vpid\n").empty());
}

}  // namespace
}  // namespace hpl
