#include "hpl/machine/model/machine_sheet.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "made_up_machine.h"
#include "support/message_of.h"

namespace hpl {
namespace {

using test::gpu_cluster_sheet;

MachineFile cluster() {
  MachineFile file;
  file.sheet = parse_machine_sheet("machine.json", gpu_cluster_sheet());
  file.rates = rates_of(*file.sheet);
  return file;
}

std::string refusal(const std::string& change) {
  return test::message_of<ConfigError>([&] {
    MachineFile file = cluster();
    apply_what_if(file, change);
  });
}

TEST(MachineSheet, BecomesTheRatesOfARank) {
  const Rates rates = cluster().rates;
  EXPECT_EQ(rates.ranks, 64);
  EXPECT_EQ(rates.ranks_per_node, 8);
  EXPECT_EQ(rates.threads, 12);
  // Its GPU, and an eighth of the host.
  EXPECT_DOUBLE_EQ(*rates.peak_gflops, 66900 + 500);
  EXPECT_DOUBLE_EQ(*rates.power_watts, 700 + 250);
  EXPECT_NEAR(rates.product_gflops.at({65536, 65536, 2048}), 55000, 30);
  // A NIC for each GPU: 400 Gb/s, of which messages reach 85 %.
  const LinkRates* nic = rates.link(Neighbours::Row, LinkPlace::BetweenNodes);
  ASSERT_NE(nic, nullptr);
  EXPECT_NEAR(nic->seconds_for(4.25e9), 0.1, 0.001);
}

TEST(MachineSheet, OfAnAcceleratorWithTwoDiesIsSharedByTwoRanks) {
  std::string text = gpu_cluster_sheet();
  text.replace(text.find("\"panel\""), 0, "\"ranks\": 2, ");
  const Rates rates = rates_of(parse_machine_sheet("machine.json", text));
  EXPECT_EQ(rates.ranks_per_node, 16);
  EXPECT_NEAR(rates.product_gflops.at({65536, 65536, 2048}), 27500, 15);
  EXPECT_DOUBLE_EQ(*rates.memory_bytes, 40e9);
}

TEST(MachineSheet, RefusesAProductFasterThanItsPeak) {
  std::string text = gpu_cluster_sheet();
  text.replace(text.find("66900"), 5, "50000");
  EXPECT_EQ(test::message_of<ConfigError>(
                [&] { static_cast<void>(parse_machine_sheet("machine.json", text)); }),
            "machine.json: accelerator.product.gflops must be at most the peak, 50000 "
            "GFLOP/s, found an array");
}

TEST(MachineSheet, ChangesByWhatIf) {
  MachineFile file = cluster();
  apply_what_if(file, "nic=800Gb");
  EXPECT_NEAR(file.rates.link(Neighbours::Row, LinkPlace::BetweenNodes)->seconds_for(8.5e9), 0.1,
              0.001);
  apply_what_if(file, "dgemm=1.1x");
  apply_what_if(file, "memory=141GB");
  EXPECT_NEAR(file.rates.product_gflops.at({65536, 65536, 2048}), 60500, 30);
  EXPECT_DOUBLE_EQ(*file.rates.memory_bytes, 141e9);
  // Earlier changes still hold.
  EXPECT_NEAR(file.rates.link(Neighbours::Row, LinkPlace::BetweenNodes)->seconds_for(8.5e9), 0.1,
              0.001);
  apply_what_if(file, "accelerators=4");
  EXPECT_EQ(file.rates.ranks_per_node, 4);
}

TEST(MachineSheet, SaysWhatCanBeChanged) {
  EXPECT_EQ(refusal("nic"),
            "--what-if must be accelerators=NUMBER, dgemm=NUMBERx, link=NUMBERGB, memory=NUMBERGB, "
            "nic=NUMBERGb or nics=NUMBER, found \"nic\"");
  EXPECT_EQ(refusal("nic=-4Gb"),
            "--what-if \"nic=-4Gb\": must be a number above 0 with the unit Gb, found \"-4Gb\"");
  MachineFile measured{cluster().rates, std::nullopt};
  EXPECT_THROW(apply_what_if(measured, "nics=4"), ConfigError);
  apply_what_if(measured, "nic=100Gb");
  EXPECT_NEAR(measured.rates.link(Neighbours::Row, LinkPlace::BetweenNodes)->seconds_for(1.0625e9),
              0.1, 0.001);
}

TEST(SlowestChip, IsFurtherFromTheMeanTheMoreThereAre) {
  EXPECT_EQ(slowest_of(1, 0.01), 0);
  // Expected least of two and of a hundred normal values: 0.5642 and 2.5076 deviations.
  EXPECT_NEAR(slowest_of(2, 0.01), 0.0056, 0.0004);
  EXPECT_NEAR(slowest_of(100, 0.01), 0.0251, 0.0003);
  EXPECT_GT(slowest_of(10000, 0.01), 0.036);
}

}  // namespace
}  // namespace hpl
