#include "models/listed_systems.h"

#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"
#include "support/test_files.h"
#include "unit/machine/model/made_up_machine.h"

namespace hpl::models {
namespace {

MachineSheet cluster_sheet() {
  return parse_machine_sheet("machine.json", test::gpu_cluster_sheet());
}

constexpr const char* kNames =
    "name,accelerator,n_acc_derived,rmax_tf,nmax,interconnect,power_kw\n";

TEST(ListedSystems, ReadsTheFieldsThatItNeeds) {
  const auto systems =
      parse_list("list.csv", std::string(kNames) +
                                 "\"One, two\",H100,128,6423.0,1474560,\"NDR \"\"400\"\"\",\n");
  ASSERT_EQ(systems.size(), 1U);
  EXPECT_EQ(systems[0].name, "One, two");
  EXPECT_EQ(systems[0].interconnect, "NDR \"400\"");
  EXPECT_EQ(systems[0].accelerators, 128);
  EXPECT_EQ(systems[0].order, 1474560);
  EXPECT_DOUBLE_EQ(systems[0].rmax_tflops, 6423);
}

TEST(ListedSystems, SaysWhereTheFileIsWrong) {
  const auto wrong = [](const std::string& text) {
    return test::message_of<ConfigError>([&] { static_cast<void>(parse_list("list.csv", text)); });
  };
  EXPECT_EQ(wrong(""), "list.csv: must hold a line of names and one for each system, found none");
  EXPECT_EQ(wrong(std::string(kNames) + "a,b\n"),
            "list.csv line 2: must have 7 fields, as the first line, found 2");
  EXPECT_EQ(wrong("name,rank\na,1\n"),
            "list.csv line 2: must have a column accelerator, found none");
  EXPECT_EQ(wrong(std::string(kNames) + "a,H100,0,1,1,NDR,\n"),
            "list.csv line 2, n_acc_derived must be at least 1, found \"0\"");
  EXPECT_EQ(wrong(std::string(kNames) + "a,H100,1,fast,1,NDR,\n"),
            "list.csv line 2, rmax_tf must be a number above 0, found \"fast\"");
}

TEST(ListedSystems, TakesTheNetworkFromItsName) {
  MachineSheet sheet = cluster_sheet();
  apply_interconnect(sheet, "Octo-rail NVIDIA HDR100 Infiniband");
  EXPECT_EQ(sheet.nics_per_node, 8);
  EXPECT_EQ(sheet.nic_gbits, 100);
  apply_interconnect(sheet, "Quad-Rail NVIDIA InfiniBand NDR200");
  EXPECT_EQ(sheet.nics_per_node, 4);
  EXPECT_EQ(sheet.nic_gbits, 200);
  apply_interconnect(sheet, "carrier pigeons");
  EXPECT_EQ(sheet.nic_gbits, 200);
}

std::vector<ListedSystem> known_and_unknown() {
  return parse_list("list.csv", std::string(kNames) +
                                    "Known,H100,64,2800,540000,NDR400,\n"
                                    "Unknown,Abacus,64,1,1000,Ethernet,\n");
}

TEST(ListedSystems, ArePredictedWhereThereIsADataSheet) {
  std::vector<ListedSheet> sheets{{.sheet = cluster_sheet(), .names = {"H100"}}};
  const auto predicted = predict_systems(known_and_unknown(), sheets);
  ASSERT_EQ(predicted.size(), 2U);
  ASSERT_TRUE(predicted[0].run);
  EXPECT_EQ(predicted[0].run->spec.grid_rows, 8);
  EXPECT_TRUE(predicted[0].run->settings.stages.device_panel);
  EXPECT_FALSE(predicted[1].run);
  EXPECT_EQ(predicted[1].remark, "no data sheet for this accelerator");
  EXPECT_DOUBLE_EQ(median_error(predicted), std::abs(predicted[0].error()));

  // A run that took fewer than the list counts.
  sheets[0].runs = {{"Known", 32}};
  const auto partial = predict_systems(known_and_unknown(), sheets);
  EXPECT_EQ(partial[0].listed.accelerators, 32);
  EXPECT_EQ(partial[0].remark.substr(0, 15), "run on 32 of 64");
  EXPECT_LT(partial[0].tflops, 0.6 * predicted[0].tflops);

  sheets[0].host_panels = true;
  EXPECT_FALSE(predict_systems(known_and_unknown(), sheets)[0].run->settings.stages.device_panel);
}

TEST(ListedSystems, ShowTheMedianErrorWithEachRowLeftOut) {
  std::vector<PredictedSystem> systems;
  for (const double listed : {1.0, 1.25, 2.0, 4.0})  // errors of 0, 20, 50 and 75 %
    systems.push_back({.listed = {.rmax_tflops = listed}, .run = DecidedRun(), .tflops = 1});
  EXPECT_DOUBLE_EQ(median_error(systems), 0.35);
  const std::vector<double> without = median_errors_without_one(systems);
  ASSERT_EQ(without.size(), 4U);
  EXPECT_DOUBLE_EQ(without[0], 0.5);
  EXPECT_DOUBLE_EQ(without[3], 0.2);
  EXPECT_NE(systems_text(systems).find("20.0 to 50.0 % with one of them left out"),
            std::string::npos);
}

TEST(ListedSheets, AreThoseOfThePredictorEachNameOnce) {
  const auto sheets = read_listed_sheets(test::source_directory() + "/lab/models/listed.json");
  EXPECT_EQ(sheets.size(), known_machine_names().size());
  std::set<std::string> names;
  for (const ListedSheet& sheet : sheets) {
    EXPECT_FALSE(sheet.names.empty()) << sheet.sheet.name;
    for (const std::string& name : sheet.names)
      EXPECT_TRUE(names.insert(name).second) << name;
  }
}

}  // namespace
}  // namespace hpl::models
