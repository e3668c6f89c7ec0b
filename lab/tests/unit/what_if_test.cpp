#include "models/what_if.h"

#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"
#include "unit/machine/model/made_up_machine.h"

namespace hpl::models {
namespace {

MachineFile cluster() {
  MachineFile file;
  file.sheet = parse_machine_sheet("machine.json", test::gpu_cluster_sheet());
  file.rates = rates_of(*file.sheet);
  return file;
}

std::string refusal(const std::string& change) {
  return test::message_of<ConfigError>([&] {
    MachineFile file = cluster();
    apply_what_if(file, change);
  });
}

TEST(WhatIf, ChangesADataSheet) {
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

TEST(WhatIf, SaysWhatCanBeChanged) {
  EXPECT_EQ(refusal("nic"),
            "--what-if must be accelerators=NUMBER, dgemm=NUMBERx, link=NUMBERGB, memory=NUMBERGB, "
            "nic=NUMBERGb or nics=NUMBER, found \"nic\"");
  EXPECT_EQ(refusal("nic=-4Gb"),
            "--what-if \"nic=-4Gb\": must be a number above 0 with the unit Gb, found \"-4Gb\"");
  EXPECT_EQ(refusal("accelerators=1e300"),
            "--what-if accelerators must be a whole number from 1 to 1000000, found \"1e300\"");
  MachineFile measured{cluster().rates, std::nullopt};
  EXPECT_THROW(apply_what_if(measured, "nics=4"), ConfigError);
  apply_what_if(measured, "nic=100Gb");
  EXPECT_NEAR(measured.rates.link(Neighbours::Row, LinkPlace::BetweenNodes)->seconds_for(1.0625e9),
              0.1, 0.001);
}

}  // namespace
}  // namespace hpl::models
