#include "models/paper_model.h"

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/machine/model/machine_sheet.h"
#include "support/message_of.h"
#include "unit/machine/model/made_up_machine.h"

namespace hpl::models {
namespace {

using test::only_products;
using test::spec_of;

// N = 2048, NB = 1024, 1000 GFLOP/s for everything:
//          mp NB^2        2 mp nq NB      nq NB^2
//   j = 0  2.147483648    8.589934592     2.147483648   ms
//   j = 1  1.073741824    2.147483648     1.073741824   ms
TEST(PaperModel, SumsItsEquations) {
  Rates rates = only_products();
  rates.solve_gflops = test::always(2, 1000);
  const PaperSeconds sum = paper_seconds(spec_of(2048, 1024), {1, 1}, rates);
  EXPECT_NEAR(sum.factorization, 3.221225472e-3, 1e-12);
  EXPECT_NEAR(sum.product, 10.737418240e-3, 1e-12);
  EXPECT_NEAR(sum.solve, 3.221225472e-3, 1e-12);
  EXPECT_EQ(sum.swap, 0);
  EXPECT_EQ(sum.broadcast, 0);
  EXPECT_NEAR(sum.sum(), 17.179869184e-3, 1e-12);
}

TEST(PaperModel, CountsMessagesByTheLogarithmOfTheGrid) {
  Rates rates = only_products();
  // 1 us, and 1 GB/s at the length of a panel: 8 (NB^2 + mp NB) bytes, mp = 512, 256, NB = 1024.
  rates.links.front().seconds = test::messages(1e-6, 1);
  const PaperSeconds sum = paper_seconds(spec_of(2048, 1024, 4, 8), {4, 8}, rates);
  // ceil(log2 8) = 3; both lengths lie where the law is nearly bytes / BW.
  const double bytes = 8.0 * (2 * 1024 * 1024 + (512 + 256) * 1024);
  EXPECT_NEAR(sum.broadcast, 3 * bytes / 1e9, 0.01 * 3 * bytes / 1e9);
  // (ceil(log2 4) + 3) L + 3 * 8 NB nq / BW, nq = 256, 128.
  EXPECT_NEAR(sum.swap, 2 * 5e-6 + 3 * 8 * 1024 * (256 + 128) / 1e9, 2e-4);
}

// The first term of (5) alone at 55.2 TFLOP/s, N = 131072, NB = 2048.
TEST(PaperModel, GivesTheProductsOfALargeRun) {
  Rates rates = only_products();
  rates.product_gflops = test::always(3, 55200);
  const PaperSeconds sum = paper_seconds(spec_of(131072, 2048), {1, 1}, rates);
  EXPECT_NEAR(sum.product, 27.83, 0.01);  // with the panel's own rows and columns
}

TEST(PaperModel, ReachesMoreWithALargerMatrixAndNeverMoreThanTheProducts) {
  const Rates rates = rates_of(parse_machine_sheet("machine.json", test::gpu_cluster_sheet()));
  double before = 0;
  for (const std::int64_t order : {1, 100, 8192, 16384, 32768, 65536, 131072}) {
    const auto n = static_cast<double>(order);
    const double gflops =
        2e-9 / 3 * n * n * n / paper_seconds(spec_of(order, 1024, 2, 4), {2, 4}, rates).sum();
    EXPECT_GT(gflops, before) << order;
    EXPECT_LT(gflops, 8 * 55000) << order;
    before = gflops;
  }
}

TEST(PaperModel, IsOfHplAlone) {
  EXPECT_EQ(test::message_of<ConfigError>([] {
              static_cast<void>(
                  paper_seconds(make_mixed(spec_of(2048, 1024), {}), {1, 1}, only_products()));
            }),
            "--paper: its equations are those of HPL, with pivots, not of HPL-MxP");
}

}  // namespace
}  // namespace hpl::models
