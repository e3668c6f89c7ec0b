#include "gemm/run/stage.h"

#include <gtest/gtest.h>

namespace hpl::gemm {
namespace {

TEST(StageTotal, CountsTimeInWhichSeveralPiecesAreUnderWayOnce) {
  const std::vector<StageSpan> spans{
      {.stage = Stage::Product, .begin = 3, .end = 5, .flops = 10},
      {.stage = Stage::Product, .lane = 1, .begin = 1, .end = 4, .flops = 20},
      {.stage = Stage::Product, .begin = 7, .end = 8, .flops = 5},
      {.stage = Stage::Product, .lane = 1, .begin = 7.25, .end = 7.5, .flops = 5},
      {.stage = Stage::Load2, .begin = 0, .end = 9, .bytes = 18},
  };
  const StageTotal product = total_of(spans, Stage::Product);
  EXPECT_DOUBLE_EQ(product.busy, 5);
  EXPECT_DOUBLE_EQ(product.begin, 1);
  EXPECT_DOUBLE_EQ(product.end, 8);
  EXPECT_DOUBLE_EQ(product.flops, 40);
  EXPECT_DOUBLE_EQ(total_of(spans, Stage::Load2).bandwidth(), 2);
  EXPECT_DOUBLE_EQ(total_of(spans, Stage::Store1).busy, 0);
}

}  // namespace
}  // namespace hpl::gemm
