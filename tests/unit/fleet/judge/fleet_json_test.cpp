#include "hpl/fleet/judge/fleet_json.h"

#include <cstdint>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "support/message_of.h"
#include "unit/fleet/sample_fleet.h"
#include "unit/report/schema_check.h"

namespace hpl {
namespace {

/// One device slow, one host without a device, sensors, a reference, a difference.
FleetReport full_fleet() {
  FleetReport report = test::sample_fleet(4, 2);
  test::change_spec(report, [](RunSpec& spec) {
    spec.emulated_moduli = 14;
    spec.checksums = true;
    spec.matrix = MatrixRequest::Host;
    spec.device_memory = 1'000'000'000;
  });
  test::set_rates(report.members[2], report.spec, {40, 41, 42});
  TelemetrySummary& sensors = report.members[0].runs[0].devices[0].sensors;
  sensors = {.samples = 7,
             .clock_mhz = SensorRange{1, 2, 3},
             .throttle_reasons = {{"power cap", 0.5}},
             .corrected_errors = 1,
             .uncorrected_errors = 0};
  report.members[0].devices[0].health.remapped_rows = hpcx::RemappedRows{.after_corrected = 1};
  report.hosts[3].why_out = "rank 7: the device cannot be opened";
  report.hosts[1].facts[1].second = "5.15";
  report.thresholds.gates = {
      .min_gflops = 10, .min_efficiency = 1, .min_peak_efficiency = 2, .max_spread = 300};
  RunResult& run = report.members[4].runs[1];
  run.checksums = ChecksumResult{
      .interval = 2,
      .comparisons = 3,
      .faults = {{.rank = 0, .last_step = 1, .rows = 1, .difference = 1e-3, .tolerance = 1e-9}}};
  run.peak = PeakRate{.gflops = 200, .source = "its clock"};
  run.rank_gflops = {99};
  report.reference =
      FleetReference{.source = "old.json",
                     .kinds = {{.kind = "NVIDIA H100", .figures = {{.count = 1, .median = 50}}}}};
  report.power = FleetPower{.source = "pdu.csv",
                            .scope = {0.5, PowerSubsystems::All, PowerPlace::Upstream},
                            .meters = {{.core_seconds = 10, .watts = 5, .gflops_per_watt = 3.5},
                                       {.host = "node01", .joules = 7, .samples = 2}},
                            .level = 1,
                            .missing = {"sampling: more"},
                            .remarks = {warning("log", "a line")}};
  report.header.environment = {{"host", "node01"}};
  report.header.remarks = {warning("grid", "a remark")};
  judge_fleet(report);
  report.exit_code = exit_code_of(report);
  return report;
}

JsonCursor::Json parsed(const std::string& text) {
  return parse_json("test", text, "xhpl --json");
}

TEST(FleetJson, IsWhatTheSchemaSays) {
  const test::SchemaCheck check = test::SchemaCheck::published("fleet");
  FleetReport report = full_fleet();
  EXPECT_EQ(check.faults(nlohmann::json::parse(fleet_json(report))), "");
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

/// A fleet that has passed, judged.
FleetReport sound_fleet() {
  FleetReport report = test::judged_fleet(2, 2);
  return report;
}

/// The message that refuses a sound fleet after `change`, read by `read`.
template <class Read>
std::string refusal(const std::function<void(JsonCursor::Json&)>& change, Read read) {
  JsonCursor::Json document = parsed(fleet_json(sound_fleet()));
  change(document);
  return test::message_of<ConfigError>([&] { read(JsonCursor(document, "test")); });
}

std::string as_reference(const std::function<void(JsonCursor::Json&)>& change) {
  return refusal(change, [](const JsonCursor& from) { read_reference(from, "test"); });
}
std::string as_fleet(const std::function<void(JsonCursor::Json&)>& change) {
  return refusal(change, [](const JsonCursor& from) { read_fleet(from); });
}

TEST(FleetJson, AnEarlierFleetIsAReference) {
  const FleetReport report = sound_fleet();
  const JsonCursor::Json document = parsed(fleet_json(report));
  const FleetReference reference = read_reference(JsonCursor(document, "test"), "r.json");
  EXPECT_EQ(reference.spec.order, report.spec.order);
  EXPECT_EQ(reference.source, "r.json");
  EXPECT_FALSE(reference_mismatch(reference, report));
  EXPECT_DOUBLE_EQ(reference.kinds.at(0).figures.at(0).median,
                   report.kinds.at(0).figures.at(0).median);
}

TEST(FleetJson, ADocumentOfVersion2IsReadAndMerged) {
  FleetReport report = sound_fleet();
  report.exit_code = ExitCode::Passed;
  JsonCursor::Json old = parsed(fleet_json(report));
  old["schema_version"] = 2;
  old["fleet"].erase("warn_list");
  const JsonCursor::Json document = renewed_fleet(old);
  const FleetReport read = read_fleet(JsonCursor(document, "old.json"));
  EXPECT_EQ(read.warn_list, "");
  EXPECT_EQ(read.members.at(0).runs.size(), report.members[0].runs.size());
  EXPECT_EQ(read_for_merge(old, "old.json").pass_list, report.pass_list);
}

TEST(FleetJson, ADocumentOfVersion1IsRefused) {
  JsonCursor::Json old = parsed(fleet_json(sound_fleet()));
  old["schema_version"] = 1;
  old["program"]["version"] = "0.1.0";
  EXPECT_EQ(renewed_fleet(old), old);
  EXPECT_EQ(test::message_of<ConfigError>([&] { read_for_merge(old, "old.json"); }),
            "old.json: schema_version must be 3 (xhpl 0.1.0 wrote it), found 1");
}

TEST(FleetJson, ARunThatContradictsItsFleetOrItselfIsRefused) {
  EXPECT_EQ(as_fleet([](auto& document) {
              document["fleet"]["members"][1]["runs"][2]["spec"]["threshold"] = 1e300;
            }),
            "test: fleet.members[1].runs[2].spec must be the run of fleet.spec with threshold 16, "
            "found an object");
  EXPECT_EQ(as_fleet([](auto& document) {
              document["fleet"]["members"][1]["runs"][2]["status"] = "failed";
            }),
            "test: fleet.members[1].runs[2].status must be passed or unchecked, as the other "
            "members of the run say, found \"failed\"");
}

TEST(FleetJson, WhatIsNoFleetIsRefused) {
  for (const char* const text :
       {"{}", R"({"schema_version": 1, "runs": []})", R"({"schema_version": 3, "fleet": {}})"}) {
    const JsonCursor::Json document = parsed(text);
    EXPECT_THROW(read_fleet(JsonCursor(document, "test")), ConfigError) << text;
  }
}

TEST(FleetJson, ADamagedReferenceIsRefused) {
  using Json = JsonCursor::Json;
  const auto kind = [](Json& document) -> Json& { return document["fleet"]["kinds"][0]; };
  EXPECT_EQ(as_reference([](Json&) {}), "no error");
  EXPECT_EQ(as_reference([&](Json& document) { document["fleet"]["kinds"].clear(); }),
            "test: fleet must be a fleet that has made its runs, found an object");
  EXPECT_EQ(as_reference([&](Json& d) { kind(d)["figures"][0]["median"] = nullptr; }),
            "test: fleet.kinds[0].figures[0].median must be a number, found null");
  EXPECT_EQ(as_reference([&](Json& d) { kind(d)["figures"][1]["median"] = nullptr; }),
            "test: fleet.kinds[0].figures[1].median must be a number, found null");
  EXPECT_EQ(as_reference([&](Json& d) { kind(d)["figures"][0].erase("median"); }),
            "test: fleet.kinds[0].figures[0] must have a member median, found none");
  EXPECT_EQ(as_reference([&](Json& d) { kind(d)["figures"][0]["median"] = 0; }),
            "test: fleet.kinds[0].figures[0].median must be above 0, found 0");
  EXPECT_EQ(as_reference([&](Json& d) { kind(d)["figures"][0]["spread"] = -1; }),
            "test: fleet.kinds[0].figures[0].spread must be at least 0, found -1");
  EXPECT_EQ(as_reference([&](Json& d) { kind(d)["figures"].erase(0); }),
            "test: fleet.kinds[0].figures must be figures with gflops among them, found an array");
  EXPECT_EQ(
      as_reference([&](Json& d) { d["fleet"]["kinds"].push_back(kind(d)); }),
      "test: fleet.kinds[1].kind must be a kind that stands there once, found \"NVIDIA H100\"");
  EXPECT_EQ(as_reference([&](Json& d) {
              kind(d)["figures"].push_back(kind(d)["figures"][0]);
            }).substr(0, 30),
            "test: fleet.kinds[0].figures[3");
}

TEST(FleetJson, AReferenceIsOfAFleetThatHasPassed) {
  for (const JsonCursor::Json& code : {JsonCursor::Json(nullptr), {1}, {3}}) {
    const JsonCursor::Json value = code.is_array() ? code[0] : code;
    EXPECT_EQ(as_reference([&](auto& document) { document["exit_code"] = value; }),
              fmt::format("test: exit_code must be 0, of a fleet that has passed, found {}",
                          value.dump()));
  }
}

TEST(FleetJson, AReferenceIsOfAJobThatCameToItsEnd) {
  EXPECT_EQ(as_reference([](auto& document) { document["error"] = "a rank died"; }),
            "test: error must be null, of a fleet that has passed, found \"a rank died\"");
}

TEST(FleetJson, AReferenceInsideAFleetIsReadAsCarefully) {
  EXPECT_EQ(as_fleet([](auto& document) {
              document["fleet"]["reference"] = {{"source", "r.json"},
                                                {"written", nullptr},
                                                {"kinds", document["fleet"]["kinds"]}};
              document["fleet"]["reference"]["kinds"][0]["figures"][0]["median"] = nullptr;
            }),
            "test: fleet.reference.kinds[0].figures[0].median must be a number, found null");
}

TEST(FleetJson, HostsThatAreNotListedAreRefused) {
  EXPECT_EQ(as_fleet([](auto& document) { document["fleet"]["members"][3]["hosts"][0] = "x"; }),
            "test: fleet.members[3].hosts[0] must be the name of one of fleet.hosts, found \"x\"");
  EXPECT_EQ(as_fleet([](auto& document) { document["fleet"]["hosts"][1]["name"] = "node01"; }),
            "test: fleet.hosts[1].name must be a host that stands there once, found \"node01\"");
}

TEST(FleetJson, RanksThatNoFleetHasAreRefused) {
  EXPECT_EQ(as_fleet([](auto& document) { document["fleet"]["members"][1]["ranks"][0] = -1; }),
            "test: fleet.members[1].ranks[0] must be from 0 to 99999999, found -1");
  EXPECT_EQ(
      as_fleet([](auto& document) { document["fleet"]["members"][1]["ranks"][0] = 1'000'000'000; }),
      "test: fleet.members[1].ranks[0] must be from 0 to 99999999, found 1000000000");
  EXPECT_EQ(as_fleet([](auto& document) {
              document["fleet"]["members"][1]["devices"][0]["rank"] = 999'999'999;
            }),
            "test: fleet.members[1].devices[0].rank must be from 0 to 99999999, found 999999999");
  EXPECT_EQ(as_fleet([](auto& document) { document["fleet"]["hosts"][0]["ranks"] = 999'999'999; }),
            "test: fleet.hosts[0].ranks must be from 0 to 99999999, found 999999999");
}

TEST(FleetJson, AThousandMembersAreWrittenReadAndJudged) {
  FleetReport report = test::sample_fleet(125, 8);
  for (FleetMember& member : report.members)
    member.runs.resize(1);
  test::set_rates(report.members[777], report.spec, {70});
  judge_fleet(report);
  const JsonCursor::Json document = parsed(fleet_json(report));
  FleetReport read = read_fleet(JsonCursor(document, "test"));
  judge_fleet(read);
  EXPECT_EQ(read.fail_list, "node98");
  EXPECT_EQ(read.pass_list, "node[01-97,99-125]");
}

TEST(FleetJson, HoldsTheIntervalOfAnExpectation) {
  FleetReport report = test::sample_fleet(1, 3);
  report.expectations = {{"NVIDIA H100",
                          {.model = "simulated",
                           .seconds = 1,
                           .gflops = 100,
                           .error_seconds = 0.25,
                           .sheet = "NVIDIA H100 SXM 80 GB"}}};
  judge_fleet(report);
  const Record::Json written = to_json_value(report);
  const Record::Json& expected = written.at("fleet").at("expectations").at(0);
  EXPECT_DOUBLE_EQ(expected.at("least_gflops").get<double>(), 80);
  EXPECT_EQ(expected.at("sheet"), "NVIDIA H100 SXM 80 GB");
  EXPECT_EQ(to_json_value(from_json_value<FleetReport>(JsonCursor(written, "fleet.json"))),
            written);
}

}  // namespace
}  // namespace hpl
