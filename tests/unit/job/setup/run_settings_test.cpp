#include "hpl/job/setup/run_settings.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

std::vector<std::string> remarks(std::int64_t order, std::int64_t block, ProcessorKind kind) {
  RunSpec spec;
  spec.order = order;
  spec.block_size = block;
  return remarks_on(spec, kind);
}

TEST(RemarksOnARun, AnOddBlockSizeIsSlowOnGpus) {
  const std::vector<std::string> on_gpu = remarks(60001, 1001, ProcessorKind::Gpu);
  ASSERT_EQ(on_gpu.size(), 1);
  EXPECT_EQ(on_gpu.front(),
            "NB = 1001 is odd: products on a GPU are about a fifth slower than with 1000");
  EXPECT_TRUE(remarks(60001, 1000, ProcessorKind::Gpu).empty());
  EXPECT_TRUE(remarks(60001, 1001, ProcessorKind::Cpu).empty());
  // One block: there is no tail to update.
  EXPECT_TRUE(remarks(1001, 1001, ProcessorKind::Gpu).empty());
}

TEST(RemarksOnARun, LookAheadHasADeepest) {
  RunSpec spec;
  spec.depth = kDeepestLookAhead + 1;
  EXPECT_EQ(remarks_on(spec, ProcessorKind::Cpu).size(), 1);
  spec.depth = kDeepestLookAhead;
  EXPECT_TRUE(remarks_on(spec, ProcessorKind::Cpu).empty());
}

}  // namespace
}  // namespace hpl
