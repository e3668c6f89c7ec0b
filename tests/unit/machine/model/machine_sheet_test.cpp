#include "hpl/machine/model/machine_sheet.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hpcx/panel.h"
#include "hpl/base/error/error.h"
#include "hpl/machine/model/prediction.h"
#include "made_up_machine.h"
#include "support/message_of.h"
#include "support/test_files.h"

namespace hpl {
namespace {

using test::gpu_cluster_sheet;

MachineFile cluster() {
  MachineFile file;
  file.sheet = parse_machine_sheet("machine.json", gpu_cluster_sheet());
  file.rates = rates_of(*file.sheet);
  return file;
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

// Eight devices a node, of which four are in one process column.
TEST(MachineSheet, PricesThePivotsOfDevicesByTheirMessages) {
  const Rates rates = cluster().rates;
  const auto messages = [&](double processes) {
    return rates.device_panel->pivot_seconds.at({processes}) / 3e-6;
  };
  EXPECT_DOUBLE_EQ(messages(4), 2);
  for (const int groups : {2, 4, 8, 16, 32})
    EXPECT_DOUBLE_EQ(messages(4 * groups), 2 + hpcx::pivot_rounds(groups).latencies());
}

TEST(MachineSheet, OfVersion020MayHaveItsNamesInLists) {
  std::string text = gpu_cluster_sheet();
  text.replace(text.find("\"accelerator\""), 0,
               R"("top500": {"names": ["H100"], "block_size": 1024}, )");
  EXPECT_EQ(parse_machine_sheet("machine.json", text).name, "made up");
}

TEST(MachineSheet, RefusesAProductFasterThanItsPeak) {
  std::string text = gpu_cluster_sheet();
  text.replace(text.find("66900"), 5, "50000");
  EXPECT_EQ(test::message_of<ConfigError>(
                [&] { static_cast<void>(parse_machine_sheet("machine.json", text)); }),
            "machine.json: accelerator.product.gflops must be at most the peak, 50000 "
            "GFLOP/s, found an array");
}

TEST(SlowestChip, IsFurtherFromTheMeanTheMoreThereAre) {
  EXPECT_EQ(slowest_of(1, 0.01), 0);
  // Expected least of two and of a hundred normal values: 0.5642 and 2.5076 deviations.
  EXPECT_NEAR(slowest_of(2, 0.01), 0.0056, 0.0004);
  EXPECT_NEAR(slowest_of(100, 0.01), 0.0251, 0.0003);
  EXPECT_GT(slowest_of(10000, 0.01), 0.036);
}

TEST(KnownMachines, AreAllFilesOfTheFolder) {
  std::ptrdiff_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_directory() + "/config/machines"))
    if (entry.path().extension() == ".json") ++files;
  EXPECT_EQ(std::ssize(known_machines()), files);
}

TEST(KnownMachines, AreFoundByTheNameThatTheDriverGives) {
  EXPECT_EQ(sheet_of_device("NVIDIA H200")->accelerator->model, "NVIDIA H200 SXM 141 GB");
  EXPECT_EQ(sheet_of_device("NVIDIA H100 80GB HBM3")->accelerator->model, "NVIDIA H100 SXM 80 GB");
  EXPECT_EQ(sheet_of_device("NVIDIA H100 PCIe")->accelerator->model, "NVIDIA H100 PCIe 80 GB");
  EXPECT_EQ(sheet_of_device("AMD Instinct MI250X")->accelerator->ranks, 2);
  for (const char* device :
       {"NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM-64GB", "NVIDIA A100-SXM4-80GB", "NVIDIA B200",
        "NVIDIA H100 64GB HBM2", "NVIDIA GH200 120GB", "AMD Instinct MI300A", "AMD Instinct MI300X",
        "Tesla V100-SXM2-16GB", "Tesla P100-PCIE-16GB", "Tesla P100-SXM2-16GB"})
    EXPECT_TRUE(sheet_of_device(device)) << device;
}

// Another board, or a part of one, has another rate.
TEST(KnownMachines, AreNotFoundByPartOfAName) {
  for (const char* device : {"", "NVIDIA H100", "NVIDIA H200 NVL", "NVIDIA H100 NVL",
                             "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "nvidia h200", "CPU"})
    EXPECT_FALSE(sheet_of_device(device)) << device;
}

TEST(KnownMachines, HaveEachNameOnce) {
  std::set<std::string> devices;
  for (const MachineSheet& sheet : known_machines())
    for (const std::string& device : sheet.accelerator->devices)
      EXPECT_TRUE(devices.insert(device).second) << device;
}

TEST(KnownMachines, HaveASourceForEachFigure) {
  for (const MachineSheet& sheet : known_machines()) {
    std::set<std::string> known;
    for (const auto& [figure, source] : sheet.sources)
      if (!source.empty()) known.insert(figure);
    std::vector<std::string> needed{"accelerator.peak_gflops",
                                    "accelerator.memory_bytes",
                                    "accelerator.memory_gbytes_per_second",
                                    "accelerator.product",
                                    "accelerator.power_watts",
                                    "accelerator.deviation",
                                    "host.cores",
                                    "host.product_gflops",
                                    "host.power_watts",
                                    "node.nics",
                                    "node.nic_gbits_per_second",
                                    "node.nic_seconds",
                                    "node.host_link_gbytes_per_second"};
    if (!sheet.accelerator->devices.empty()) needed.push_back("accelerator.devices");
    if (sheet.accelerator->panel) {
      needed.push_back("accelerator.panel");
      needed.push_back("accelerator.multiprocessors");
      EXPECT_GT(sheet.accelerator->multiprocessors, 0) << sheet.name;
    }
    if (sheet.accelerator->ranks > 1) needed.push_back("accelerator.ranks");
    if (sheet.accelerators_per_node > 1) needed.push_back("node.link_gbytes_per_second");
    for (const std::string& figure : needed)
      EXPECT_TRUE(known.contains(figure)) << sheet.name << ": " << figure;
  }
}

TEST(KnownMachines, MakeRates) {
  for (const MachineSheet& sheet : known_machines()) {
    const Rates rates = rates_of(sheet);
    RunSpec spec;
    spec.order = 20000;
    spec.block_size = 512;
    spec.grid_columns = 2;
    EXPECT_GT(predict(ModelKind::Simulated, decided_run(spec, rates), rates).gflops, 100)
        << sheet.name;
  }
}

}  // namespace
}  // namespace hpl
