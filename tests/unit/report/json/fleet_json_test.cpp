#include "hpl/report/json/fleet_json.h"

#include <fstream>

#include <gtest/gtest.h>

#include "../sample_fleet.h"
#include "../schema_check.h"
#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"

namespace hpl {
namespace {

/// One device slow, one host without a device, sensors, a reference, a difference.
FleetReport full_fleet() {
  FleetReport report = test::sample_fleet(4, 2);
  test::set_rates(report.units[2], report.spec.order, {40, 41, 42});
  DeviceRound device{.rank = 0, .sensors = {}, .corrected_errors = 1, .uncorrected_errors = 0};
  device.sensors.samples = 7;
  device.sensors.clock_mhz = SensorRange{1, 2, 3};
  device.sensors.throttle_reasons = {{"power cap", 0.5}};
  report.units[0].rounds[0].devices = {device};
  report.units[0].devices[0].health.remapped_rows = hpcx::RemappedRows{.after_corrected = 1};
  report.hosts[3].why_out = "rank 7: the device cannot be opened";
  report.hosts[1].facts[1].second = "5.15";
  report.thresholds.gates.min_gflops = 10;
  report.reference = FleetReference{.source = "old.json", .kinds = {{.kind = "NVIDIA H100"}}};
  report.power = FleetPower{.source = "pdu.csv",
                            .scope = {0.5, PowerSubsystems::All, PowerPlace::Upstream},
                            .meters = {{.core_seconds = 10, .watts = 5, .gflops_per_watt = 3.5},
                                       {.host = "node01", .joules = 7, .samples = 2}},
                            .level = 1,
                            .missing = {"sampling: more"},
                            .remarks = {"a line"}};
  report.header.environment = {{"host", "node01"}};
  report.header.remarks = {"a remark"};
  judge_fleet(report);
  report.exit_code = exit_code_of(report);
  return report;
}

JsonCursor::Json parsed(const std::string& text) {
  return parse_json("test", text, "xhpl --json");
}

TEST(FleetJson, IsWhatTheSchemaSays) {
  std::ifstream file(HPL_DOCS_DIR "/schema/fleet.schema.json");
  const test::SchemaCheck check(nlohmann::json::parse(file));
  FleetReport report = full_fleet();
  EXPECT_EQ(check.faults(nlohmann::json::parse(fleet_json(report))), "");
  EXPECT_EQ(check.faults(nlohmann::json::parse(reference_json(report))), "");
  report.exit_code.reset();
  report.error = "lost";
  report.ended = {};
  EXPECT_EQ(check.faults(nlohmann::json::parse(fleet_json(report))), "");
  EXPECT_EQ(check.faults(nlohmann::json::parse(fleet_json(FleetReport()))), "");
}

TEST(FleetJson, IsReadAsItWasWritten) {
  const std::string text = fleet_json(full_fleet());
  const JsonCursor::Json document = parsed(text);
  const JsonCursor cursor(document, "test");
  EXPECT_TRUE(is_fleet(cursor));
  FleetReport read = read_fleet(cursor);
  EXPECT_EQ(fleet_json(read), text);
  judge_fleet(read);
  EXPECT_EQ(fleet_json(read), text);
}

TEST(FleetJson, AnEarlierFleetAndAWrittenReferenceAreTheSameReference) {
  const FleetReport report = full_fleet();
  for (const std::string& text : {fleet_json(report), reference_json(report)}) {
    const JsonCursor::Json document = parsed(text);
    const FleetReference reference = read_reference(JsonCursor(document, "test"), "r.json");
    EXPECT_EQ(reference.order, report.spec.order);
    EXPECT_EQ(reference.source, "r.json");
    EXPECT_FALSE(reference_mismatch(reference, report));
    EXPECT_DOUBLE_EQ(reference.kinds.at(0).figures.at(0).median,
                     report.kinds.at(0).figures.at(0).median);
  }
}

TEST(FleetJson, WhatIsNoFleetIsRefused) {
  for (const char* const text :
       {"{}", R"({"schema_version": 1, "runs": []})", R"({"schema_version": 2, "fleet": {}})"}) {
    const JsonCursor::Json document = parsed(text);
    EXPECT_THROW(read_fleet(JsonCursor(document, "test")), ConfigError) << text;
  }
  FleetReport none = full_fleet();
  none.kinds.clear();
  const JsonCursor::Json document = parsed(fleet_json(none));
  EXPECT_THROW(read_reference(JsonCursor(document, "test"), "r.json"), ConfigError);
}

TEST(FleetJson, AThousandUnitsAreWrittenReadAndJudged) {
  FleetReport report = test::sample_fleet(125, 8);
  for (FleetUnit& unit : report.units)
    unit.rounds.resize(1);
  test::set_rates(report.units[777], report.spec.order, {70});
  judge_fleet(report);
  const JsonCursor::Json document = parsed(fleet_json(report));
  FleetReport read = read_fleet(JsonCursor(document, "test"));
  judge_fleet(read);
  EXPECT_EQ(read.fail_list, "node98");
  EXPECT_EQ(read.pass_list, "node[01-97,99-125]");
}

}  // namespace
}  // namespace hpl
