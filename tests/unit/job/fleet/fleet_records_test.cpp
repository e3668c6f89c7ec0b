#include "job/fleet/fleet_records.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hpl/report/json/fleet_json.h"
#include "hpl/report/result/fleet_verdict.h"

namespace hpl {
namespace {

/// As rank_card() writes it; without a device where `why_out` says why.
std::string card(int rank, const std::string& host, const std::string& backend,
                 const std::string& why_out = "") {
  FleetReport report;
  FleetHost of_rank{.name = host, .ranks = 1, .devices = backend == "cpu" ? 1 : 8};
  of_rank.facts = {{"processor", "EPYC"}};
  if (!why_out.empty()) {
    of_rank.devices = 0;
    of_rank.why_out = fmt::format("rank {}: {}", rank, why_out);
  } else {
    FleetUnit unit;
    unit.hosts = {host};
    unit.devices.push_back({.rank = rank,
                            .host = host,
                            .backend = backend,
                            .index = backend == "cpu" ? 0 : rank % 8,
                            .model = "Chip",
                            .identity = {.serial = fmt::format("S{}", rank)},
                            .health = {}});
    report.units.push_back(std::move(unit));
  }
  report.hosts.push_back(std::move(of_rank));
  return fleet_json(report);
}

RunResult result_of(double gflops) {
  RunResult result;
  result.gflops = gflops;
  result.seconds = 60;
  result.residual = Residual{.scaled = 0.01, .passed = true};
  result.devices = {{.rank = 0, .host = "x", .backend = "cuda", .device = "Chip", .sensors = {}}};
  return result;
}

TEST(FleetRecords, AThousandRanksBecomeAJudgedFleet) {
  constexpr int kHosts = 125, kDevices = 8;
  std::vector<std::string> cards;
  std::vector<int> first, ranks;
  for (int rank = 0; rank < kHosts * kDevices; ++rank) {
    cards.push_back(card(rank, fmt::format("n{:03}", rank / kDevices), "cuda"));
    first.push_back(rank / kDevices * kDevices);
    ranks.push_back(rank);
  }
  FleetReport report;
  report.spec.order = 50'000;
  const FleetDivision division = divide_fleet(FleetUnitKind::Device, NodeMap(first));
  fill_fleet(report, cards, division, ranks, {});
  ASSERT_EQ(report.units.size(), 1000U);
  EXPECT_EQ(report.units[17].name, "n002 cuda 1");
  EXPECT_EQ(report.units[17].devices[0].identity.serial, "S17");
  EXPECT_EQ(report.hosts.size(), 125U);
  EXPECT_EQ(report.hosts[2].devices, 8);

  for (int unit = 0; unit < 1000; ++unit) {
    const FleetRound round =
        fleet_round(result_of(unit == 17 ? 500 : 1000), 0, {unit}, {MemoryErrors{}});
    report.units[static_cast<std::size_t>(unit)].rounds = read_rounds(rounds_text({round}));
  }
  judge_fleet(report);
  EXPECT_EQ(report.fail_list, "n002");
  EXPECT_EQ(report.pass_list, "n[000-001,003-124]");
}

TEST(FleetRecords, RanksWithoutADeviceAndExpectedHostsAreKept) {
  FleetReport report;
  report.each = FleetUnitKind::Node;
  const std::vector<std::string> cards{card(0, "a", "cpu"), card(1, "a", "cpu"),
                                       card(2, "b", "cpu", "no thread"), card(3, "b", "cpu")};
  // The ranks 0, 1 and 3 take part: of them the third is alone on its node.
  const FleetDivision division = divide_fleet(FleetUnitKind::Node, NodeMap({0, 0, 2}));
  fill_fleet(report, cards, division, {0, 1, 3}, {"a", "b", "c"});
  ASSERT_EQ(report.units.size(), 1U);
  EXPECT_EQ(report.units[0].name, "a");
  EXPECT_EQ(report.units[0].kind, "2 x Chip");
  EXPECT_EQ(report.units[0].devices[1].index, 1);
  ASSERT_EQ(report.hosts.size(), 3U);
  EXPECT_EQ(report.hosts[1].devices, 1);
  EXPECT_EQ(report.hosts[1].why_out, "rank 2: no thread");
  EXPECT_EQ(report.hosts[2].ranks, 0);
}

TEST(FleetRecords, MemoryErrorsAreThoseOfTheRound) {
  hpcx::DeviceHealth before, after;
  before.corrected_errors = 5;
  after.corrected_errors = 7;
  const MemoryErrors arisen = MemoryErrors::of(after).since(MemoryErrors::of(before));
  const FleetRound round = fleet_round(result_of(1), 3, {40}, {arisen});
  ASSERT_EQ(round.devices.size(), 1U);
  EXPECT_EQ(round.devices[0].rank, 40);
  EXPECT_EQ(round.devices[0].corrected_errors, 2);
  EXPECT_EQ(round.devices[0].uncorrected_errors, std::nullopt) << "the device does not tell";
}

TEST(FleetRecords, ARoundArrivesWithAllThatItsRunFound) {
  RunResult result = result_of(100);
  result.checksums = ChecksumResult{
      .interval = 2,
      .comparisons = 7,
      .faults = {{.rank = 1, .first_step = 2, .last_step = 3, .rows = 4, .first_row = 60}}};
  result.devices.push_back(result.devices.front());
  result.devices[1].rank = 1;
  result.peak = PeakRate{.gflops = 200, .source = "its clock"};
  result.rank_gflops = {51, 52};
  const FleetRound made = fleet_round(result, 0, {40, 42}, {MemoryErrors{}, MemoryErrors{}});
  const FleetRound read = read_rounds(rounds_text({made})).at(0);
  EXPECT_EQ(read.status, RunStatus::Failed);
  ASSERT_EQ(read.failures.size(), 1U);
  EXPECT_TRUE(read.failures[0].starts_with(
      "checksums: disagree after one of the steps 2 to 3 on rank 42 on x, cuda 0: 4 row(s)"))
      << read.failures[0];
  ASSERT_TRUE(read.checksums);
  EXPECT_EQ(read.checksums->comparisons, 7);
  EXPECT_EQ(read.checksums->faults.at(0).rank, 42) << "of the job";
  EXPECT_EQ(read.checksums->faults.at(0).first_row, 60);
  EXPECT_EQ(read.devices.at(1).rank, 42);
  EXPECT_EQ(read.peak_gflops, 200);
  EXPECT_EQ(read.rank_gflops, (std::vector<double>{51, 52}));
}

TEST(FleetRecords, ARoundHasTheTimesOfItsCorePhase) {
  RunResult result = result_of(1);
  result.started = 1'700'000'000;
  EXPECT_EQ(fleet_round(result, 0, {0}, {MemoryErrors{}}).started.seconds, 1'700'000'000);
  result.power = RunPower{.begin = 1'700'000'000.25, .end = 1'700'000'001.5, .utc_offset = 3600};
  const FleetRound round = fleet_round(result, 0, {0}, {MemoryErrors{}});
  EXPECT_EQ(round.started.seconds, 1'700'000'000.25);
  EXPECT_EQ(round.ended.seconds, 1'700'000'001.5);
  EXPECT_EQ(round.started.zone_offset_seconds, 3600);
}

TEST(FleetRecords, ARunArrivesAsItWasSent) {
  RunSpec spec;
  spec.order = 777;
  spec.grid_columns = 3;
  spec.broadcast = BroadcastVariant::LongM;
  spec.transposed_u = false;
  spec.emulated_moduli = 14;
  spec.checksums = true;
  spec.matrix = MatrixRequest::Auto;
  spec.device_memory = 1 << 30;
  spec.threshold = 12;
  const RunSpec read = read_spec_text(spec_text(spec));
  EXPECT_EQ(describe_variant(read), describe_variant(spec));
  EXPECT_FALSE(run_difference(read, spec)) << run_difference(read, spec)->one;
}

}  // namespace
}  // namespace hpl
