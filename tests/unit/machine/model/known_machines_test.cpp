#include "hpl/machine/model/machine_sheet.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hpl/machine/model/prediction.h"
#include "support/test_files.h"

namespace hpl {
namespace {

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
  std::set<std::string> devices, listed;
  for (const MachineSheet& sheet : known_machines()) {
    for (const std::string& device : sheet.accelerator->devices)
      EXPECT_TRUE(devices.insert(device).second) << device;
    for (const std::string& name : sheet.listed.names)
      EXPECT_TRUE(listed.insert(name).second) << name;
    EXPECT_FALSE(sheet.listed.names.empty()) << sheet.name;
  }
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
    if (sheet.accelerator->panel) needed.push_back("accelerator.panel");
    if (sheet.accelerator->ranks > 1) needed.push_back("accelerator.ranks");
    if (sheet.accelerators_per_node > 1) needed.push_back("node.link_gbytes_per_second");
    if (sheet.listed.host_panels) needed.push_back("top500.host_panels");
    for (const std::string& figure : needed)
      EXPECT_TRUE(known.contains(figure)) << sheet.name << ": " << figure;
  }
}

TEST(KnownMachines, MakeRates) {
  for (const MachineSheet& sheet : known_machines()) {
    const Rates rates = rates_of(sheet);
    RunSpec spec;
    spec.order = 20000;
    spec.block_size = sheet.listed.block_size;
    spec.grid_columns = 2;
    EXPECT_GT(predict(ModelKind::Simulated, decided_run(spec, rates), rates).gflops, 100)
        << sheet.name;
  }
}

}  // namespace
}  // namespace hpl
