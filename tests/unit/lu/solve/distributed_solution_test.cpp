#include <cstdint>

#include <gtest/gtest.h>

#include "hpl/lu/solve/back_substitution.h"
#include "support/cpu_device.h"

namespace hpl {
namespace {

TEST(DistributedSolution, HasOneElementForEveryColumnButTheRightHandSide) {
  const auto device = test::open_cpu(1);
  for (const std::int64_t order : {0, 1, 15, 16, 17, 100}) {
    std::int64_t elements = 0;
    for (int column = 0; column < 3; ++column) {
      const LocalShape shape =
          local_shape({.order = order, .block_size = 8, .grid_columns = 3}, {0, column});
      const DistributedSolution x(*device, shape);
      EXPECT_EQ(x.view().stride, 1);
      elements += x.view().size;
    }
    EXPECT_EQ(elements, order);
  }
}

}  // namespace
}  // namespace hpl
