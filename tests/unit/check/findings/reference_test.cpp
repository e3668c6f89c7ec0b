#include "hpl/check/findings/check_reference.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "check/probes/repetition.h"
#include "hpl/base/error/error.h"
#include "hpl/base/record/record.h"
#include "hpl/check/findings/node_links.h"
#include "made_up_cluster.h"

namespace hpl {
namespace {

using test::figure;
using test::sound_cluster;

CheckReference reference_of(std::vector<RankRecord> ranks) {
  return {.source = "may.json", .written = "2026-05-04T09:00:00Z", .ranks = std::move(ranks)};
}

CheckReport judged(const std::vector<RankRecord>& ranks, const CheckReference& reference,
                   bool strict = false) {
  return judge(CheckForm::Full, ranks, {0.05, strict, &reference});
}

JsonCursor::Json document_of(std::vector<RankRecord> ranks) {
  CheckDocument document{.program = {.name = "xhpl", .version = "1.2.3"}};
  document.check = judge(CheckForm::Full, std::move(ranks), {0.05});
  return to_json_value(document);
}

/// The message that refuses a document; empty: it is taken.
std::string refusal_of(const JsonCursor::Json& document) {
  try {
    read_check_reference(JsonCursor(document, "may.json"), "may.json");
  } catch (const ConfigError& e) {
    return e.what();
  }
  return {};
}

TEST(CheckReference, OfTheSameFiguresHasNoFinding) {
  const auto ranks = sound_cluster(4, 2);
  const CheckReport report = judged(ranks, reference_of(ranks));
  EXPECT_TRUE(report.findings.empty());
  ASSERT_TRUE(report.reference);
  EXPECT_EQ(report.reference->source, "may.json");
  EXPECT_FALSE(remark_on_missing(report, reference_of(ranks)));
}

TEST(CheckReference, FindsWhatAllRanksHaveLost) {
  auto ranks = sound_cluster(3, 2);
  const CheckReference may = reference_of(ranks);
  const auto lose = [&](Figure metric, double share) {
    for (const RankRecord& rank : may.ranks)
      figure(ranks, metric, rank.rank) = share * figure(ranks, metric, rank.rank);
  };
  lose(Figure::DeviceMemory, 0.92);
  EXPECT_TRUE(judge(CheckForm::Full, ranks, {0.05}).findings.empty()) << "beside each other";
  const CheckReport report = judged(ranks, may);
  ASSERT_EQ(report.findings.size(), 6U);
  for (const RankFinding& finding : report.findings) {
    EXPECT_EQ(finding.severity, Severity::Warning);
    EXPECT_EQ(finding.basis, Basis::Reference);
    EXPECT_EQ(finding.figure, Figure::DeviceMemory);
  }
  auto before_all = sound_cluster(3, 2);
  const double before = figure(before_all, Figure::DeviceMemory, 0);
  EXPECT_EQ(report.findings[0].expected, before);
  EXPECT_NEAR(*report.findings[0].threshold, 0.95 * before, 1e-9);
  EXPECT_EQ(report.findings[0].text,
            "device memory copy 50.35 GB/s, 8.0 % below 54.73 in may.json");
  EXPECT_EQ(report.findings[0].host, "node000");
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed) << "one figure of a rank";
  EXPECT_EQ(exit_code_of(judged(ranks, may, true)), ExitCode::Slow);
  EXPECT_EQ(hosts_of(report).warned.size(), 3U);
  lose(Figure::DeviceDgemmSustained, 0.92);
  EXPECT_EQ(exit_code_of(judged(ranks, may)), ExitCode::Slow) << "two figures";
  lose(Figure::DeviceDgemmSustained, 1 / 0.92);
  lose(Figure::DeviceMemory, 0.97);
  EXPECT_EQ(exit_code_of(judged(ranks, may)), ExitCode::Slow) << "far out";
  EXPECT_EQ(hosts_of(judged(ranks, may)).failed.size(), 3U);
}

TEST(CheckReference, NeedsNoPeers) {
  auto ranks = sound_cluster(1, 1);
  const CheckReference may = reference_of(ranks);
  figure(ranks, Figure::HostDgemm, 0) *= 0.94;
  ASSERT_EQ(judged(ranks, may).findings.size(), 1U);
  figure(ranks, Figure::HostDgemm, 0) *= 1.3;
  EXPECT_TRUE(judged(ranks, may).findings.empty()) << "better";
}

TEST(CheckReference, AllowsLinksTheToleranceOfTheirFigures) {
  auto ranks = sound_cluster(3, 2);
  const CheckReference may = reference_of(ranks);
  figure(ranks, Figure::NodeBandwidth, 0, 4) *= 0.81;
  figure(ranks, Figure::NodeLatency, 0, 4) += 0.99;  // a microsecond is noise
  EXPECT_TRUE(judged(ranks, may).findings.empty());
  figure(ranks, Figure::NodeBandwidth, 0, 4) *= 0.97;
  const CheckReport warned = judged(ranks, may);
  ASSERT_FALSE(warned.findings.empty());
  EXPECT_EQ(warned.findings[0].rank, 0);
  EXPECT_EQ(warned.findings[0].peer, 4);
  EXPECT_EQ(warned.findings[0].peer_host, "node002");
  EXPECT_EQ(exit_code_of(warned), ExitCode::Passed);
  figure(ranks, Figure::NodeLatency, 0, 4) += 0.1;
  EXPECT_EQ(exit_code_of(judged(ranks, may)), ExitCode::Slow) << "two figures of one link";
}

TEST(CheckReference, CountsAFigureOnceThatIsOutBesideThePeersToo) {
  auto ranks = sound_cluster(4, 2);
  for (RankRecord& rank : ranks)
    figure(ranks, Figure::DeviceMemory, rank.rank) = 55;
  const CheckReference may = reference_of(ranks);
  figure(ranks, Figure::DeviceMemory, 3) = 0.92 * 55;
  const CheckReport report = judged(ranks, may);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.findings[0].basis, Basis::Peers);
  EXPECT_EQ(report.findings[1].basis, Basis::Reference);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
}

TEST(CheckReference, NamesTheNodeThatLostMostOfItsLinksOnce) {
  auto ranks = sound_cluster(5, 1);
  const CheckReference may = reference_of(ranks);
  for (const int other : {0, 1, 3, 4})
    figure(ranks, Figure::NodeBandwidth, std::min(other, 2), std::max(other, 2)) *= 0.5;
  const CheckReport report = judged(ranks, may);
  const auto of_links = std::ranges::find_if(report.findings, [](const RankFinding& finding) {
    return finding.basis == Basis::Reference && finding.bad_links == 4;
  });
  ASSERT_NE(of_links, report.findings.end());
  EXPECT_EQ(of_links->host, "node002");
  EXPECT_NE(of_links->text.find("4 of its 4 links are too slow"), std::string::npos)
      << of_links->text;
}

TEST(CheckReference, BelongsToHostsAndDevicesWhateverTheirRanksAre) {
  auto june = sound_cluster(2, 2);
  auto may = june;
  // The nodes come in the other order, and one with its domain.
  for (RankRecord& rank : june)
    rank.host = rank.node == 0 ? "node001.cluster.site" : "node000";
  figure(may, Figure::HostDgemm, 3) *= 1.3;  // node001 cuda 1
  const CheckReport report = judged(june, reference_of(may));
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].rank, 1);
  EXPECT_FALSE(reference_mismatch(reference_of(may), june));
}

TEST(CheckReference, LeavesOutWhatOneOfTheChecksLacksAndSaysSoOnce) {
  auto june = sound_cluster(3, 2);
  auto may = june;
  std::erase_if(may[1].measurements,
                [](const Measurement& one) { return one.metric == Figure::DeviceMemory; });
  for (RankRecord& rank : june)
    if (rank.node == 2) rank.host = "node007";
  const CheckReference reference = reference_of(may);
  figure(june, Figure::HostDgemm, 4) = figure(june, Figure::DeviceMemory, 1) = 1e-3;
  const CheckReport report = judged(june, reference);
  EXPECT_TRUE(std::ranges::none_of(report.findings, [](const RankFinding& finding) {
    return finding.basis == Basis::Reference;
  }));
  const auto remark = remark_on_missing(report, reference);
  ASSERT_TRUE(remark);
  // Of two ranks three figures each, of two links three each, on both sides; and one of node000.
  EXPECT_EQ(remark->text,
            "25 figures not compared with may.json, as only one of the checks has them: device "
            "memory copy of node000 cuda 1 and others");
}

TEST(CheckReference, TakesNoCrowdedCoresForSlowOnes) {
  auto ranks = sound_cluster(1, 2);
  const CheckReference may = reference_of(ranks);
  figure(ranks, Figure::HostDgemm, 1) /= 3;
  for (Measurement& one : ranks[1].measurements)
    one.crowded = one.metric == Figure::HostDgemm;
  const CheckReport report = judged(ranks, may, true);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].basis, Basis::Disturbed);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
}

TEST(CheckReference, MakesFiguresDoubtfulThatAreMeasuredAgain) {
  auto ranks = sound_cluster(1, 2);
  const CheckReference may = reference_of(ranks);
  figure(ranks, Figure::DeviceMemory, 1) *= 0.9;
  const FigureFlags doubtful = doubtful_metrics(judged(ranks, may));
  EXPECT_TRUE(doubtful[static_cast<std::size_t>(Figure::DeviceMemory)]);
  EXPECT_EQ(std::ranges::count(doubtful, true), 1);
}

TEST(CheckReference, OfManyNodesHasTheMedianOfEachNode) {
  auto ranks = sound_cluster(kNodesWithAllLinks + 6, 1);
  CheckReport condensed = judge(CheckForm::Full, ranks, {0.05});
  condense_node_links(condensed);
  const CheckReference may = reference_of(condensed.ranks);
  EXPECT_TRUE(judged(ranks, may).findings.empty());
  for (RankRecord& rank : ranks)
    for (Measurement& one : rank.measurements)
      if (one.metric == Figure::NodeBandwidth) one.value *= 0.7;
  CheckReport slow = judged(ranks, may);
  std::set<std::string> hosts;
  for (const RankFinding& finding : slow.findings)
    if (finding.text.starts_with("median of its links: MPI bandwidth, nodes "))
      hosts.insert(finding.host);
  EXPECT_EQ(hosts.size(), ranks.size());
  condense_node_links(slow);
  EXPECT_FALSE(remark_on_missing(slow, may));
}

TEST(CheckReference, OfAnotherMachineIsRefused) {
  const auto june = sound_cluster(2, 2);
  EXPECT_EQ(reference_mismatch(reference_of(sound_cluster(1, 4)), june),
            "may.json must be of 4 ranks on 2 hosts, found 4 ranks on 1 host");
  EXPECT_EQ(reference_mismatch(reference_of(sound_cluster(2, 4)), june),
            "may.json must be of 4 ranks on 2 hosts, found 8 ranks on 2 hosts");
  auto other = june;
  other[3].device_model = "NVIDIA A100";
  EXPECT_EQ(reference_mismatch(reference_of(other), june),
            "may.json must be of NVIDIA H200, Xeon on node001, found NVIDIA A100, NVIDIA H200, "
            "Xeon");
  other = june;
  for (RankRecord& rank : other)
    rank.device = "cpu";
  EXPECT_EQ(reference_mismatch(reference_of(other), june),
            "may.json must be of NVIDIA H200, Xeon on node000, found Xeon");
  other = june;
  for (RankRecord& rank : other)
    rank.host[0] = 'm';
  EXPECT_EQ(reference_mismatch(reference_of(other), june),
            "may.json must be of node[000-001], found mode[000-001]");
}

TEST(CheckReference, IsTheDocumentOfACheck) {
  const JsonCursor::Json check = document_of(sound_cluster(2, 2));
  EXPECT_EQ(refusal_of(check), "");
  const std::string other =
      "may.json must be the document of a check (xhpl check --json), found another document";
  JsonCursor::Json document = check;
  document["ranks"] = JsonCursor::Json::array();
  EXPECT_EQ(refusal_of(document), other);
  document.erase("ranks");  // as a run keeps its check
  EXPECT_EQ(refusal_of(document), other);
  document = check;
  document.erase("preflight");
  EXPECT_EQ(refusal_of(document), other);
  auto ranks = sound_cluster(2, 2);
  ranks[1].oversubscribed = true;
  EXPECT_EQ(refusal_of(document_of(ranks)),
            "may.json must be of ranks with cores of their own, found ranks that share cores");
  document = check;
  document["ranks"][1]["rank"] = 2;
  EXPECT_NE(refusal_of(document), "");
}

TEST(CheckReference, MayBeOfVersion_0_2_0) {
  auto ranks = sound_cluster(2, 2);
  JsonCursor::Json document = document_of(ranks);
  document["preflight"].erase("reference");
  document["preflight"].erase("deep");
  for (JsonCursor::Json& rank : document["ranks"])
    for (const char* const added : {"disturbed", "core_gflops", "crowded_cores", "deep"})
      rank.erase(added);
  const CheckReference may = read_check_reference(JsonCursor(document, "may.json"), "may.json");
  EXPECT_TRUE(judged(ranks, may).findings.empty());
  figure(ranks, Figure::HostDgemm, 2) /= 2;
  EXPECT_FALSE(judged(ranks, may).findings.empty());
}

}  // namespace
}  // namespace hpl
