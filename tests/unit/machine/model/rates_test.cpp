#include "hpl/machine/model/rates.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(PanelRates, GoesOnBeyondWhatWasMeasured) {
  const PanelRates panel{{{{1000, 4000}, {256, 1024, 2048}}, {1, 2, 6, 2, 8, 32}}, {}};
  EXPECT_DOUBLE_EQ(panel.seconds_for(4000, 1024), 8);
  EXPECT_DOUBLE_EQ(panel.seconds_for(8000, 1024), 16);
  EXPECT_DOUBLE_EQ(panel.seconds_for(4000, 64), 0.5);
  EXPECT_DOUBLE_EQ(panel.seconds_for(4000, 4096), 128);
  EXPECT_DOUBLE_EQ(panel.seconds_for(1000, 4096), 18);
  const PanelRates one_width{{{{1000}, {256}}, {1}}, {}};
  EXPECT_DOUBLE_EQ(one_width.seconds_for(1000, 512), 2);
}

TEST(PanelRates, KnowsWhatIsKeptByTheSizeOfThePanel) {
  PanelRates rates{.product_beside = 0.8, .beside_product = 0.7};
  EXPECT_EQ(rates.shares(65536, 2048), (PanelShares{0.8, 0.7}));
  rates.product_beside_by_size = {{{8192}, {1024, 2048}}, {0.8, 0.6}};
  rates.beside_product_by_size = {{{8192}, {1024, 2048}}, {0.7, 0.5}};
  EXPECT_EQ(rates.shares(65536, 2048), (PanelShares{0.6, 0.5}));
  EXPECT_EQ(rates.shares(4096, 512), (PanelShares{0.8, 0.7}));
}

TEST(LinkRates, GoOnAtTheirBandwidth) {
  // 58 us, and 4 MB in 20 us.
  const LinkRates link{.transport = "nccl", .seconds = {{{8, 1e3, 5e6}}, {58e-6, 58e-6, 83e-6}}};
  EXPECT_NEAR(link.seconds_for(205e6), 58e-6 + 205e6 * 5e-12, 1e-6);
  const LinkRates one{.transport = "nccl", .seconds = {{{1e6}}, {1e-3}}};
  EXPECT_NEAR(one.seconds_for(4e6), 4e-3, 1e-12);
  // Noise: the longer one was faster.
  const LinkRates noisy{.transport = "nccl", .seconds = {{{1e6, 2e6}}, {1e-3, 0.9e-3}}};
  EXPECT_NEAR(noisy.seconds_for(4e6), 1.8e-3, 1e-12);
}

}  // namespace
}  // namespace hpl
