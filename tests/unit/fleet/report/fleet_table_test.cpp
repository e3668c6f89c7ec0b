#include "hpl/fleet/report/fleet_table.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/report/csv/run_table.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl {
namespace {

using test::sample_fleet;

/// Two hosts of a device each, judged; the first run of the first member has failed.
FleetReport judged_fleet() {
  FleetReport report = sample_fleet(2, 1);
  report.members[0].runs[0].residual = Residual{.scaled = 99, .passed = false};
  judge_fleet(report);
  return report;
}

TEST(FleetTable, HasTheColumnsThatFilesInUseHave) {
  EXPECT_EQ(fleet_table().header,
            "started,version,member,hosts,kind,serial,verdict,findings,variant,arithmetic,matrix,n,"
            "nb,p,q,threshold,runs,residual,median_gflops,gflops,worst_run_percent,drift_percent,"
            "efficiency_percent,clock_mhz,power_watts,temperature_celsius,throttled_percent,"
            "corrected_errors,job,labels\n");
}

TEST(FleetTable, HasARowForEachMember) {
  const std::vector<std::string> rows = fleet_rows(judged_fleet());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(
      rows[0].starts_with("2023-11-14T22:13:20Z,1.2.3,node01 cuda 0,node01,NVIDIA H100,S0,"
                          "failed,"))
      << rows[0];
  EXPECT_NE(rows[0].find("the scaled residual 99 is not below 16"), std::string::npos) << rows[0];
  EXPECT_TRUE(rows[1].find(",node02,NVIDIA H100,S1,passed,,WR") != std::string::npos) << rows[1];
  EXPECT_NE(rows[1].find(",FP64,device,20000,256,1,1,16,3,0.0025,"), std::string::npos) << rows[1];
}

TEST(FleetTable, HasNoPassedMemberInAFleetThatWasCutOff) {
  FleetReport report = judged_fleet();
  report.error = "ended from outside";
  const std::vector<std::string> rows = fleet_rows(report);
  EXPECT_NE(rows[0].find(",failed,"), std::string::npos) << rows[0];
  EXPECT_NE(rows[1].find(",not checked,ended from outside,"), std::string::npos) << rows[1];
}

TEST(FleetTable, LabelsArithmeticAndPlaceOfTheMatrix) {
  FleetReport report = sample_fleet(1, 1);
  test::change_spec(report, [](RunSpec& spec) {
    spec.emulated_moduli = 14;
    spec.matrix = MatrixRequest::Host;
  });
  judge_fleet(report);
  const std::string row = fleet_rows(report).front();
  EXPECT_NE(row.find("\"FP64 emulated by 14 INT8 products, Ozaki II\",host,"), std::string::npos)
      << row;
}

TEST(FleetTable, HasARowForAHostWithoutAMember) {
  FleetReport report = sample_fleet(1, 1);
  report.hosts.push_back({{.name = "node09"}});
  report.hosts.back().verdict = FleetVerdict::Missing;
  const std::vector<std::string> rows = fleet_rows(report);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NE(rows[1].find(",node09,node09,,,missing,"), std::string::npos) << rows[1];
}

TEST(FleetTable, LeavesEmptyWhatIsNotKnown) {
  FleetReport report = sample_fleet(1, 1);
  report.members[0].runs[0].residual->scaled = std::numeric_limits<double>::quiet_NaN();
  const std::string row = fleet_rows(report).front();
  EXPECT_NE(row.find(",16,3,,,,"), std::string::npos) << row;
}

TEST(FleetTable, IsNoTableOfRuns) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = directory / "table.csv";
  CsvFile(file, run_table()).append({"a\n"});
  EXPECT_NE(
      test::message_of<ConfigError>([&] {
        CsvFile table(file, fleet_table());
      }).find("must begin with the columns that this program writes (started,version,member,...)"),
      std::string::npos);
}

TEST(FleetTable, TakesAllRowsInOnePiece) {
  const test::TemporaryDirectory directory;
  const CsvFile table(directory / "fleets.csv", fleet_table());
  table.append({"a\n", "b\n"});
  table.append({"c\n"});
  EXPECT_EQ(directory.read("fleets.csv"), fleet_table().header + "a\nb\nc\n");
}

}  // namespace
}  // namespace hpl
