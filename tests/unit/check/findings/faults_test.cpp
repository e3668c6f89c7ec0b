#include <algorithm>

#include <gtest/gtest.h>

#include "hpl/check/findings/check_report.h"
#include "made_up_cluster.h"

namespace hpl {
namespace {

using test::sound_cluster;

/// A cluster of 400 ranks with one changed rank.
template <class Change>
std::vector<RankFinding> findings_after(int rank, Change change) {
  auto ranks = sound_cluster(50, 8);
  change(ranks[static_cast<std::size_t>(rank)]);
  return find_faults(ranks);
}

testing::AssertionResult one_finding(const std::vector<RankFinding>& found, Severity kind, int rank,
                                     const std::string& fragment) {
  if (found.size() != 1) return testing::AssertionFailure() << found.size() << " findings";
  if (found[0].severity != kind || found[0].rank != rank ||
      found[0].text.find(fragment) == std::string::npos)
    return testing::AssertionFailure() << name_of(kSeverities, found[0].severity) << " of rank "
                                       << found[0].rank << ": " << found[0].text;
  return testing::AssertionSuccess();
}

TEST(Faults, AreNotFoundInASoundClusterOfHundredsOfRanks) {
  EXPECT_TRUE(find_faults(sound_cluster(60, 8)).empty());
}

TEST(Faults, MemoryErrorsThatEccCouldNotCorrect) {
  EXPECT_TRUE(
      one_finding(findings_after(123, [](RankRecord& r) { r.health.uncorrected_errors = 3; }),
                  Severity::Fault, 123, "3 memory errors that ECC could not correct since"));
}

TEST(Faults, AnOldMemoryErrorIsARemark) {
  EXPECT_TRUE(
      one_finding(findings_after(123, [](RankRecord& r) { r.health.uncorrected_errors_ever = 2; }),
                  Severity::Remark, 123, "in the device's life"));
}

TEST(Faults, RowsThatCouldNotBeRemappedOrWaitForIt) {
  EXPECT_TRUE(one_finding(
      findings_after(9, [](RankRecord& r) { r.health.remapped_rows = {.failed = true}; }),
      Severity::Fault, 9, "replace the device"));
  EXPECT_TRUE(one_finding(
      findings_after(9, [](RankRecord& r) { r.health.remapped_rows = {.pending = true}; }),
      Severity::Fault, 9, "reset the device"));
  EXPECT_TRUE(one_finding(
      findings_after(9, [](RankRecord& r) { r.health.remapped_rows = {.after_uncorrected = 2}; }),
      Severity::Remark, 9, "2 rows"));
  EXPECT_TRUE(findings_after(9, [](RankRecord& r) {
                r.health.remapped_rows = {.after_corrected = 2};
              }).empty());
}

TEST(Faults, AndWarningsByCountersOfDeviceAndHost) {
  EXPECT_TRUE(one_finding(findings_after(9,
                                         [](RankRecord& r) {
                                           r.events = {.counts = {{"links_lost", 1}}};
                                         }),
                          Severity::Fault, 9, "lost links between devices: 1"));
  EXPECT_TRUE(one_finding(findings_after(8,
                                         [](RankRecord& r) {
                                           r.host_events = {{.counts = {{"nic_link_downs", 1}}}};
                                         }),
                          Severity::Warning, 8, "host: network links that went down"));
}

TEST(Faults, ThrottlingByHeatOrPowerBrakeButNotThePowerCap) {
  for (const char* reason : {hpcx::throttle::kHardwareSlowdown, hpcx::throttle::kSoftwareThermal,
                             hpcx::throttle::kHardwareThermal, hpcx::throttle::kPowerBrake})
    EXPECT_TRUE(
        one_finding(findings_after(77, [&](RankRecord& r) { r.throttle_reasons = {reason}; }),
                    Severity::Fault, 77, reason));
  EXPECT_TRUE(findings_after(77, [](RankRecord& r) {
                r.throttle_reasons = {hpcx::throttle::kPowerCap};
              }).empty());
  EXPECT_TRUE(one_finding(
      findings_after(77, [](RankRecord& r) { r.throttle_reasons = {hpcx::throttle::kSlowerPeer}; }),
      Severity::Remark, 77, "synchronized"));
}

TEST(Faults, OfADeviceThatRanksShareAreNamedOnce) {
  auto ranks = sound_cluster(50, 8);
  for (int rank : {40, 41, 42}) {
    RankRecord& shared = ranks[static_cast<std::size_t>(rank)];
    shared.device = "cuda 0";
    shared.health.uncorrected_errors = 1;
    shared.throttle_reasons = {hpcx::throttle::kPowerBrake};
  }
  const auto found = find_faults(ranks);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rank, 40);
  EXPECT_EQ(found[1].rank, 40);
}

TEST(Faults, TwoRanksOnOneCoreAreNoneOfTheHost) {
  const auto found = findings_after(13, [](RankRecord& r) { r.cores = {100, 2}; });
  ASSERT_TRUE(one_finding(found, Severity::Remark, 13, "two ranks on core 2"));
  EXPECT_EQ(found[0].peer, 9);  // local rank 1 of the same node
}

TEST(Faults, RanksOfDifferentHostsDoNotShareCores) {
  auto ranks = sound_cluster(2, 1);
  EXPECT_TRUE(find_faults(ranks).empty());
  ranks[1].node = 0;
  EXPECT_EQ(find_faults(ranks).size(), 1U);
}

TEST(Faults, LessMemoryThanTheRunNeeds) {
  EXPECT_TRUE(one_finding(
      findings_after(300, [](RankRecord& r) { r.free_bytes = 120'000'000'000; }), Severity::Fault,
      300, "needs 130.00 GB, 120.00 GB are free (free memory of the device)"));
  EXPECT_TRUE(findings_after(300, [](RankRecord& r) {
                r.free_bytes = 120'000'000'000;
                r.needed_bytes = 0;
              }).empty());
}

TEST(Faults, AKernelBelowTheMachineOrUnlikeThatOfMostRanks) {
  EXPECT_TRUE(one_finding(
      findings_after(5, [](RankRecord& r) { r.kernel_warning = "kernel Prescott is slow"; }),
      Severity::Fault, 5, "kernel Prescott is slow"));
  EXPECT_TRUE(one_finding(findings_after(5, [](RankRecord& r) { r.blas_kernel = "Haswell"; }),
                          Severity::Fault, 5, "Haswell where most ranks use SkylakeX"));
  // Another processor has a kernel of its own.
  EXPECT_TRUE(findings_after(5, [](RankRecord& r) {
                r.blas_kernel = "Zen";
                r.processor = "EPYC";
              }).empty());
}

TEST(Faults, ARankWithTheGoodKernelIsNotBlamedWhereMostHaveABadOne) {
  auto ranks = sound_cluster(1, 3);
  for (const std::size_t bad : {1U, 2U}) {
    ranks[bad].blas_kernel = "Prescott";
    ranks[bad].kernel_warning = "kernel Prescott is slow";
  }
  const auto found = find_faults(ranks);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_EQ(found[1].rank, 2);
}

TEST(Faults, OfTwoSoundKernelsNobodyKnowsTheRightOne) {
  auto ranks = sound_cluster(1, 2);
  ranks[1].blas_kernel = "Haswell";
  EXPECT_TRUE(find_faults(ranks).empty());
}

TEST(Faults, CoresFarFromTheDevice) {
  EXPECT_TRUE(one_finding(findings_after(6,
                                         [](RankRecord& r) {
                                           r.far_from_device = true;
                                           r.device_numa_node = 1;
                                         }),
                          Severity::Fault, 6,
                          "(NUMA node 0) are far from its device (NUMA node 1)"));
}

TEST(Faults, AProbeThatFailed) {
  EXPECT_TRUE(one_finding(findings_after(6,
                                         [](RankRecord& r) {
                                           r.failed = {{"device DGEMM", "out of memory"}};
                                         }),
                          Severity::Fault, 6, "device DGEMM could not be measured: out of memory"));
}

TEST(Faults, LowerPowerLimitFewThreadsAndHeatAreRemarks) {
  EXPECT_TRUE(one_finding(findings_after(6,
                                         [](RankRecord& r) {
                                           r.health.power_limit_watts = 500;
                                           r.health.default_power_limit_watts = 700;
                                         }),
                          Severity::Remark, 6, "limited to 500 W"));
  EXPECT_TRUE(one_finding(findings_after(6,
                                         [](RankRecord& r) {
                                           r.threads_granted = false;
                                           r.thread_level = mpi::ThreadLevel::Funneled;
                                         }),
                          Severity::Remark, 6, "funneled"));
  EXPECT_TRUE(one_finding(
      findings_after(6,
                     [](RankRecord& r) {
                       r.measurements.push_back({Figure::DeviceTemperature, kNoPeer, 91});
                     }),
      Severity::Remark, 6, "hotter than 85 C"));
}

TEST(Judgement, FaultsComeFirstRemarksLastAndOnlyRemarksAreSound) {
  auto ranks = sound_cluster(50, 8);
  ranks[3].health.ecc = false;
  EXPECT_TRUE(is_sound(judge(CheckForm::Full, ranks, {0.05})));
  test::figure(ranks, Figure::HostDgemm, 7) = 40;
  ranks[9].health.uncorrected_errors = 1;
  const CheckReport report = judge(CheckForm::Full, ranks, {0.05});
  ASSERT_EQ(report.findings.size(), 3U);
  EXPECT_EQ(report.findings[0].severity, Severity::Fault);
  EXPECT_EQ(report.findings[1].severity, Severity::Slow);
  EXPECT_EQ(report.findings[2].severity, Severity::Remark);
  EXPECT_FALSE(is_sound(report));
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed) << "a fault comes before an outlier";
}

TEST(Judgement, EachHostIsInOneListByItsWorstFinding) {
  CheckReport report;
  for (const char* const host : {"n3", "n1", "n2", "n4", "n1"})
    report.ranks.push_back({.host = host});
  const auto add = [&](Severity severity, const char* host, const char* peer_host = nullptr,
                       int bad_links = 0) {
    RankFinding finding{{.severity = severity}, 0, peer_host ? 1 : kNoPeer, bad_links, host};
    if (peer_host) finding.peer_host = peer_host;
    report.findings.push_back(finding);
  };
  add(Severity::Fault, "n2");
  add(Severity::Slow, "n2", "n3");  // which end is slow, the link does not tell
  add(Severity::Slow, "n10", "n3");
  add(Severity::Slow, "n5", "n6", 7);
  add(Severity::Slow, "n7");
  add(Severity::Warning, "n8");
  add(Severity::Remark, "n4");
  const CheckedHosts hosts = hosts_of(report);
  using Names = std::vector<std::string>;
  EXPECT_EQ(hosts.failed, (Names{"n2", "n5", "n7"}));
  EXPECT_EQ(hosts.warned, (Names{"n10", "n3", "n6", "n8"}));
  EXPECT_EQ(hosts.passed, (Names{"n1", "n4"}));
}

TEST(Judgement, OneFigureThatIsOutPassesAndTwoOfOneRankDoNot) {
  auto ranks = sound_cluster(50, 8);
  const auto set = [&](Figure figure, int rank, double share) {
    for (RankRecord& one : ranks)
      test::figure(ranks, figure, one.rank) = one.rank == rank ? 100 * share : 100;
  };
  const auto code = [&](bool strict = false) {
    return exit_code_of(judge(CheckForm::Full, ranks, {0.05, strict}));
  };
  set(Figure::DeviceMemory, 7, 0.92);
  EXPECT_EQ(code(), ExitCode::Passed);
  EXPECT_FALSE(is_sound(judge(CheckForm::Full, ranks, {0.05})));
  EXPECT_EQ(code(true), ExitCode::Slow);
  set(Figure::HostDgemm, 8, 0.92);
  EXPECT_EQ(code(), ExitCode::Passed) << "of another rank";
  set(Figure::HostDgemm, 7, 0.92);
  EXPECT_EQ(code(), ExitCode::Slow);
  set(Figure::HostDgemm, 7, 1);
  set(Figure::DeviceMemory, 7, 0.89);
  EXPECT_EQ(code(), ExitCode::Slow) << "far out";
}

TEST(Judgement, WhatOtherProcessesDisturbedIsAWarningHoweverStrict) {
  auto ranks = sound_cluster(50, 8);
  ranks[8].disturbed = {{"host DGEMM", "other processes took 94 % of the cores of node001"}};
  for (Measurement& one : ranks[8].measurements)
    if (one.metric == Figure::HostDgemm) one.crowded = true, one.value = 20;
  const CheckReport report = judge(CheckForm::Full, ranks, {0.05, true});
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  EXPECT_TRUE(is_sound(report)) << "no outlier";
  EXPECT_EQ(count(report, Severity::Warning), 2);
  EXPECT_EQ(hosts_of(report).warned, std::vector<std::string>{"node001"});
}

TEST(Judgement, TheShortFormIsLenient) {
  auto ranks = sound_cluster(50, 8);
  test::figure(ranks, Figure::HostDgemm, 7) = 65;
  EXPECT_EQ(exit_code_of(judge(CheckForm::Full, ranks, {0.05})), ExitCode::Slow);
  EXPECT_FALSE(is_sound(judge(CheckForm::Full, ranks, {0.05})));
  EXPECT_TRUE(is_sound(judge(CheckForm::Short, ranks, {0.05})));
  test::figure(ranks, Figure::HostDgemm, 7) = 55;
  EXPECT_FALSE(is_sound(judge(CheckForm::Short, ranks, {0.05})));
}

TEST(Judgement, ComparesNothingWhereCoresAreSharedAndListsNoHostForIt) {
  auto ranks = sound_cluster(50, 8);
  test::figure(ranks, Figure::HostDgemm, 7) = 10;
  ranks[2].oversubscribed = true;
  ranks[2].cores = ranks[1].cores;
  for (const CheckForm form : {CheckForm::Short, CheckForm::Full, CheckForm::Deep}) {
    const CheckReport report = judge(form, ranks, {0.05});
    EXPECT_TRUE(is_sound(report));
    EXPECT_EQ(hosts_of(report).passed.size(), 50U);
  }
}

}  // namespace
}  // namespace hpl
