#include <gtest/gtest.h>

#include <string>

#include "cuda/emulation_kernels.h"
#include "hpcx/error.h"
#include "support/message_of.h"

namespace hpcx::gpu_cuda::emulation {
namespace {

TEST(ProductKernel, EachIsFoundByItsName) {
  for (const ProductKernel kernel : kProductKernels)
    EXPECT_EQ(product_kernel(to_string(kernel)), kernel);
}

TEST(ProductKernel, AnUnknownNameIsRefusedWithThoseThatThereAre) {
  EXPECT_EQ(hpl::test::message_of<Error>([] { product_kernel("wgmma512"); }),
            "there is no product kernel wgmma512; known are wgmma256x2, wgmma256, wgmma128x2, mma, "
            "cublas");
}

}  // namespace
}  // namespace hpcx::gpu_cuda::emulation
