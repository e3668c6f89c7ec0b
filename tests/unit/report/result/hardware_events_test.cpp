#include "hpl/report/result/hardware_events.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hpl/base/record/record.h"
#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

using hpcx::EventCounts;

/// The counts of a sound device in a run of a minute.
EventCounts sound_events() {
  return {.counts = {{"uncorrected_memory", 0},
                     {"corrected_memory", 3},
                     {"remap_failed", 0},
                     {"remap_pending", 0},
                     {"rows_remapped", 0},
                     {"links_lost", 0},
                     {"link_recoveries", 0},
                     {"link_replays", 4},
                     {"link_crc_errors", 20000},
                     {"pcie_replays", 5},
                     {"driver_errors", 0}},
          .driver_errors = {},
          .seconds = 60};
}

EventCounts events_with(const std::string& name, std::int64_t count) {
  EventCounts events = sound_events();
  std::ranges::find(events.counts, name, [](const auto& one) { return one.first; })->second = count;
  return events;
}

/// "fault ISOLATE", "warning MONITOR"; empty: no finding.
std::string word_of(const EventCounts& events) {
  std::string words;
  for (const Finding& finding : judge_events(events)) {
    EXPECT_EQ(finding.basis, Basis::Device);
    EXPECT_TRUE(finding.text.ends_with(fmt::format(" ({})", name_of(kActions, *finding.action))));
    words +=
        fmt::format("{}{} {}", words.empty() ? "" : ", ", name_of(kSeverities, finding.severity),
                    name_of(kActions, *finding.action));
  }
  return words;
}

EventCounts driver_errors(std::vector<int> numbers) {
  EventCounts events = sound_events();
  events.driver_errors = std::move(numbers);
  return events;
}

TEST(HardwareEvents, OfASoundDeviceAreNoFinding) {
  EXPECT_EQ(word_of(sound_events()), "");
  EXPECT_EQ(word_of({}), "");
}

TEST(HardwareEvents, HaveTheWordOfTheirKind) {
  for (const char* const kind : {"uncorrected_memory", "remap_failed", "links_lost"})
    EXPECT_EQ(word_of(events_with(kind, 1)), "fault ISOLATE") << kind;
  EXPECT_EQ(word_of(events_with("remap_pending", 1)), "fault RESET");
  EXPECT_EQ(word_of(events_with("rows_remapped", 1)), "warning MONITOR");
}

TEST(HardwareEvents, ThatAreMendedCountBeyondARateOnly) {
  EXPECT_EQ(word_of(events_with("pcie_replays", 16)), "");
  EXPECT_EQ(word_of(events_with("pcie_replays", 17)), "warning MONITOR");
  EXPECT_EQ(judge_events(events_with("corrected_memory", 12)).front().text,
            "corrected memory errors: 12 in 60 s, up to 11 are in order (MONITOR)");
}

TEST(HardwareEvents, OfADriverHaveTheWordOfTheirNumber) {
  EXPECT_EQ(word_of(driver_errors({79})), "fault ISOLATE");
  EXPECT_EQ(word_of(driver_errors({119})), "fault RESET");
  EXPECT_EQ(word_of(driver_errors({92})), "warning MONITOR");
  EXPECT_EQ(word_of(driver_errors({13, 31, 43, 45})), "") << "errors of programs";
  EXPECT_EQ(word_of(driver_errors({63, 48})), "fault ISOLATE, fault RESET");
  EXPECT_EQ(judge_events(driver_errors({94, 94})).front().text,
            "driver error (Xid) 94, 2 times (ISOLATE)");
}

TEST(HardwareEvents, WarningsDoNotFailTogether) {
  EventCounts events = events_with("pcie_replays", 1000);
  events.counts.emplace_back("nic_errors", 1000);
  std::vector<Finding> findings = judge_events(events);
  std::vector<Finding*> all;
  for (Finding& finding : findings)
    all.push_back(&finding);
  ASSERT_EQ(all.size(), 2U);
  fail_by_figures(all, true);
  EXPECT_EQ(findings[0].severity, Severity::Warning);
}

TEST(HardwareEvents, AriseFromOneReadingToTheNext) {
  const EventCounts before{
      .counts = {{"pcie_replays", 7}, {"links_lost", 2}, {"rows_remapped", {}}},
      .driver_errors = {45}};
  const EventCounts after{.counts = {{"pcie_replays", 9}, {"links_lost", 0}, {"rows_remapped", 3}},
                          .driver_errors = {45, 79}};
  const EventCounts arisen = events_between(before, after, 2);
  EXPECT_EQ(arisen,
            (EventCounts{.counts = {{"pcie_replays", 2}, {"links_lost", 0}, {"rows_remapped", {}}},
                         .driver_errors = {79},
                         .seconds = 2}));
}

TEST(HardwareEvents, ThatCannotBeReadAreSaidOnce) {
  EventCounts blind = sound_events();
  blind.counts[9].second.reset();
  blind.counts[10].second.reset();
  const std::vector<EventCounts> all{blind, sound_events(), blind};
  EXPECT_EQ(unreadable_events(all),
            note("counters", "not readable: driver errors (Xid), PCIe replays"));
  EXPECT_FALSE(unreadable_events({}));
  EXPECT_EQ(word_of(blind), "");
}

/// Two ranks on the device of a host, whose adapters and memory count as well.
RunResult counted_run(const std::string& backend) {
  RunResult run = test::passing_run();
  DeviceTelemetry device{.host = "node01", .backend = backend};
  device.sensors.events = sound_events();
  device.sensors.events.counts[0].second = 1;
  run.devices = {device, device};
  run.devices[1].rank = 1;
  run.hosts = {
      {"node01",
       {.counts = {{"corrected_memory", 500}, {"nic_errors", 99}, {"nic_waits", 1'000'000}},
        .driver_errors = {},
        .seconds = 60}}};
  return run;
}

TEST(HardwareEvents, OfARunNameEachDeviceAndHostOnce) {
  EXPECT_EQ(
      device_findings(counted_run("cuda")),
      (std::vector<std::string>{
          "rank 0 on node01, cuda 0: uncorrected memory errors: 1 in 60 s (ISOLATE)",
          "host node01: corrected memory errors: 500 in 60 s, up to 11 are in order (MONITOR)",
          "host node01: network errors: 99 in 60 s, up to 11 are in order (MONITOR)"}));
  RunResult on_host = counted_run("cpu");
  for (DeviceTelemetry& device : on_host.devices)
    device.sensors = {.corrected_errors = 500};
  EXPECT_EQ(event_findings(on_host).size(), 2U) << "its memory counts once";
  EXPECT_EQ(event_lines(counted_run("cuda"))[1],
            "host node01: corrected memory errors 500, network errors 99, "
            "ticks in which a network port could not send 1000000");
}

TEST(HardwareEvents, OfSeveralRunsAreThoseOfTheWorst) {
  std::vector<RunResult> runs(2, counted_run("cuda"));
  runs[1].repeat_index = 1;
  runs[1].devices[0].sensors.events.counts[0].second = 7;
  const auto findings = event_findings(runs);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].text, "run 2: uncorrected memory errors: 7 in 60 s (ISOLATE)");
  EXPECT_TRUE(findings[1].text.starts_with("run 1: corrected")) << findings[1].text;
}

TEST(HardwareEvents, ComeBackFromADocumentThatMayLackThem) {
  const RunResult run = counted_run("cuda");
  Record::Json written = to_json_value(run);
  const auto read = from_json_value<RunResult>(JsonCursor(written, "run.json"));
  EXPECT_EQ(to_json_value(read), written);
  written.erase("hosts");
  for (auto& device : written["devices"])
    device.erase("events");
  const auto earlier = from_json_value<RunResult>(JsonCursor(written, "run.json"));
  EXPECT_TRUE(earlier.hosts.empty());
  EXPECT_EQ(event_findings(earlier).size(), 0U);
}

}  // namespace
}  // namespace hpl
