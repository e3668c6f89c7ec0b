#include "hpl/check/probes/preflight.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/check/probes/line_exchange.h"
#include "hpl/check/probes/probe.h"
#include "hpl/comm/mpi/request.h"
#include "support/cpu_device.h"
#include "support/peer_device.h"

namespace hpl {
namespace {

class Preflight : public testing::Test {
 protected:
  Preflight() { share_.cores = {{.cpu = 0, .id = world_.rank(), .numa_node = 0}}; }

  /// All figures are allowed: ranks of this test share cores.
  CheckReport check(CheckForm form, GridShape grid, double tolerance = 1e6) {
    if (grid_ranks_.empty()) {
      grid_ranks_.resize(static_cast<std::size_t>(grid.rows) * grid.columns);
      std::iota(grid_ranks_.begin(), grid_ranks_.end(), 0);
    }
    CheckReport report =
        run_preflight(world_, {.form = form,
                               .rules = {.tolerance = tolerance, .reference = reference_},
                               .device = *device_,
                               .host = *device_,
                               .thread_level = mpi::ThreadLevel::Multiple,
                               .cores = share_,
                               .bound = bound_,
                               .grid = grid,
                               .grid_ranks = grid_ranks_,
                               .needed_bytes = needed_,
                               .on_probe = [&](const char* name) { names_.insert(name); },
                               .load = load_});
    // No rate is better than the machine where ranks wait for a core: none does as many GFLOP/s.
    for (const MetricSummary& summary : report.summaries)
      if (summary.metric == Figure::HostDgemm) {
        EXPECT_LT(summary.maximum, 1000);
      }
    return report;
  }
  /// Links of a metric, lower rank first.
  static std::multiset<std::pair<int, int>> links(const CheckReport& report, Figure metric) {
    std::multiset<std::pair<int, int>> found;
    for (const RankRecord& rank : report.ranks)
      for (const Measurement& m : rank.measurements)
        if (m.metric == metric) {
          EXPECT_GT(m.value, 0);
          found.insert({rank.rank, m.peer});
        }
    return found;
  }

  mpi::Communicator world_ = mpi::Communicator::world();
  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(1);
  RankCores share_;
  const CheckReference* reference_ = nullptr;
  std::vector<int> grid_ranks_;  ///< as those of the job if a test names none
  bool bound_ = false;
  std::int64_t needed_ = 0;
  std::multiset<std::string> names_;
  LoadReadings load_{.used = [] { return ProcessorTime(); }, .seconds = [] { return 0.0; }};
};

TEST_F(Preflight, MeasuresAgainWhatIsWorseThanTheReference) {
  const GridShape grid{1, world_.size()};
  CheckReference may{.source = "may.json", .ranks = check(CheckForm::Short, grid).ranks};
  for (RankRecord& rank : may.ranks)
    for (Measurement& one : rank.measurements)
      one.value *=
          one.metric == Figure::HostDgemm || info(one.metric).better == Better::Lower ? 1e3 : 1e-3;
  reference_ = &may;
  names_.clear();
  const CheckReport report = check(CheckForm::Short, grid, 0.1);
  EXPECT_GT(names_.count("host DGEMM"), 1U);
  // Three links are peers, whose noise may be measured again as well.
  if (world_.size() < 3) {
    EXPECT_EQ(names_.count("MPI along rows"), 1U);
  }
  // Other processes may excuse a rank.
  const auto out = std::ranges::count_if(report.findings, [](const RankFinding& finding) {
    return finding.text.find(" in may.json") != std::string::npos;
  });
  EXPECT_EQ(out, world_.rank() == 0 ? world_.size() : 0);
}

TEST_F(Preflight, RefusesAReferenceOfAnotherMachineOnAllRanksBeforeItMeasures) {
  CheckReference may{.source = "may.json"};
  if (world_.rank() == 0) may.ranks.resize(static_cast<std::size_t>(world_.size()) + 1);
  reference_ = &may;
  EXPECT_THROW(check(CheckForm::Full, {1, world_.size()}), ConfigError);
  EXPECT_TRUE(names_.empty());
}

TEST_F(Preflight, MeasuresAgainWhatOtherProcessesDisturbAndSaysSo) {
  double all = 0, now = 0;  // a host of one core that others keep busy
  load_ = {
      .used = [&] { return ProcessorTime{.host = "n1", .cores = 1, .all = all += 2, .own = 0}; },
      .seconds = [&] { return now += 2; }};
  const CheckReport report = check(CheckForm::Short, {1, world_.size()});
  EXPECT_EQ(names_.count("host DGEMM"), 2U);
  if (world_.rank() != 0) return;
  EXPECT_EQ(std::ranges::count_if(report.findings,
                                  [](const RankFinding& finding) {
                                    return finding.severity == Severity::Warning &&
                                           finding.basis == Basis::Disturbed &&
                                           finding.text ==
                                               "host DGEMM was disturbed whenever it was measured: "
                                               "other processes took 100 % of the cores of n1";
                                  }),
            1);
}

/// Each rank below the median is out by this, and far out.
constexpr double kWhateverDiffers = -2;

TEST_F(Preflight, CallsNoRankSlowForWhatOtherProcessesDisturb) {
  double all = 0, now = 0;
  load_ = {
      .used = [&] { return ProcessorTime{.host = "n1", .cores = 1, .all = all += 2, .own = 0}; },
      .seconds = [&] { return now += 2; }};
  const CheckReport report = check(CheckForm::Short, {1, world_.size()}, kWhateverDiffers);
  for (const RankFinding& finding : report.findings)
    if (finding.figure == Figure::HostDgemm) {
      EXPECT_EQ(finding.basis, Basis::Disturbed);
      EXPECT_EQ(finding.severity, Severity::Warning);
    }
}

TEST_F(Preflight, AnUndisturbedRepetitionCountsAgainstARank) {
  double all = 0, now = 0;
  int looks = 0;  // the first probe is measured twice, with two looks each, and is disturbed
  load_ = {.used =
               [&] {
                 if (++looks <= 4) all += 2;
                 return ProcessorTime{.host = "n1", .cores = 1, .all = all, .own = 0};
               },
           .seconds = [&] { return now += 2; }};
  const CheckReport report = check(CheckForm::Short, {1, world_.size()}, kWhateverDiffers);
  if (world_.rank() != 0) return;
  const bool disturbed = std::ranges::any_of(report.findings, [](const RankFinding& finding) {
    return finding.basis == Basis::Disturbed;
  });
  EXPECT_EQ(disturbed, world_.size() < 3) << "two ranks are not compared, so nothing is repeated";
}

TEST_F(Preflight, MeasuresEveryRankAndEveryPairOnce) {
  const int size = world_.size();
  const CheckReport report = check(CheckForm::Full, {1, size});
  if (world_.rank() != 0) {
    EXPECT_TRUE(report.ranks.empty());
    return;
  }
  ASSERT_EQ(std::ssize(report.ranks), size);
  // Faults of the machine that this runs on, such as its BLAS kernel, are none of the probes'.
  EXPECT_EQ(std::ranges::count_if(report.findings, is_outlier), 0);
  for (const RankRecord& rank : report.ranks)
    EXPECT_TRUE(rank.failed.empty()) << rank.failed.front().reason;
  EXPECT_GT(report.seconds, 0);
  std::multiset<std::pair<int, int>> pairs, ring;
  for (int a = 0; a < size; ++a)
    for (int b = a + 1; b < size; ++b) {
      pairs.insert({a, b});
      if (b == a + 1 || (a == 0 && b == size - 1)) ring.insert({a, b});
    }
  EXPECT_EQ(links(report, Figure::PairLatency), pairs);
  EXPECT_EQ(links(report, Figure::PairBandwidth), pairs);
  EXPECT_EQ(links(report, Figure::RowLatency), ring);
  EXPECT_TRUE(links(report, Figure::ColumnBandwidth).empty());
  EXPECT_TRUE(links(report, Figure::NodeBandwidth).empty());
  for (const MetricSummary& summary : report.summaries)
    if (summary.metric == Figure::HostDgemm || summary.metric == Figure::DeviceMemory) {
      EXPECT_EQ(summary.count, size);
      EXPECT_GT(summary.minimum, 0);
    }
}

TEST_F(Preflight, TheShortFormLeavesOutThePairs) {
  const CheckReport report = check(CheckForm::Short, {world_.size(), 1});
  EXPECT_TRUE(names_.contains("host DGEMM"));
  EXPECT_FALSE(names_.contains("MPI in a node"));
  if (world_.rank() != 0) return;
  EXPECT_TRUE(links(report, Figure::PairLatency).empty());
  EXPECT_EQ(links(report, Figure::ColumnLatency).empty(), world_.size() == 1);
}

TEST_F(Preflight, ProbesWithOutliersAreRepeatedOnAllRanks) {
  check(CheckForm::Short, {1, world_.size()}, kWhateverDiffers);
  const auto times = static_cast<int>(names_.count("host DGEMM"));
  EXPECT_EQ(times > 1, world_.size() >= 3);
  EXPECT_EQ(times, world_.all_reduce(times, mpi::Reduce::Max));
  EXPECT_EQ(names_.count("device DGEMM"), 1U);  // it measures nothing here
}

TEST_F(Preflight, ABoundCoreMakesSeveralAdditionsInTheTimeOfAMultiplication) {
  bound_ = true;
  const CheckReport report = check(CheckForm::Short, {1, world_.size()});
  for (const RankRecord& rank : report.ranks) {
    ASSERT_EQ(rank.core_products.size(), 1U);
    EXPECT_GT(rank.core_products[0].width, 1);
    EXPECT_GT(rank.core_products[0].clock, 0);
    EXPECT_NE(rank.core_products[0].clock, 1);
  }
}

TEST_F(Preflight, RowsAndColumnsAreThoseOfAGridSmallerThanTheJob) {
  if (world_.size() < 6) GTEST_SKIP() << "needs 6 ranks";
  const CheckReport report = check(CheckForm::Short, {2, 2});
  if (world_.rank() != 0) return;
  const std::multiset<std::pair<int, int>> rows{{0, 1}, {2, 3}}, columns{{0, 2}, {1, 3}};
  EXPECT_EQ(links(report, Figure::RowBandwidth), rows);
  EXPECT_EQ(links(report, Figure::ColumnBandwidth), columns);
}

TEST_F(Preflight, RowsAndColumnsFollowTheTilesOfNodes) {
  if (world_.size() < 4) GTEST_SKIP() << "needs 4 ranks";
  grid_ranks_ = {0, 2, 1, 3};  // nodes of two ranks, each a process column
  const CheckReport report = check(CheckForm::Short, {2, 2});
  if (world_.rank() != 0) return;
  const std::multiset<std::pair<int, int>> rows{{0, 2}, {1, 3}}, columns{{0, 1}, {2, 3}};
  EXPECT_EQ(links(report, Figure::RowBandwidth), rows);
  EXPECT_EQ(links(report, Figure::ColumnBandwidth), columns);
}

TEST_F(Preflight, TooLittleMemoryIsAFaultOfItsRankAndSharedCoresAreARemark) {
  share_.cores = {{.cpu = 0, .id = 0, .numa_node = 0}};
  needed_ = world_.rank() == world_.size() - 1 ? std::int64_t{1} << 60 : 1;
  const CheckReport report = check(CheckForm::Short, {1, world_.size()});
  if (world_.rank() != 0) return;
  // The machine that this runs on may have faults of its own.
  const auto ranks_with = [&](Severity kind, const char* what) {
    std::vector<int> ranks;
    for (const RankFinding& finding : report.findings)
      if (finding.severity == kind && finding.text.starts_with(what)) ranks.push_back(finding.rank);
    return ranks;
  };
  EXPECT_EQ(ranks_with(Severity::Fault, "too little memory"), std::vector{world_.size() - 1});
  EXPECT_EQ(std::ssize(ranks_with(Severity::Remark, "two ranks on core 0")), world_.size() - 1);
}

/// Every rank plays a node of its own.
class PreflightOfNodes : public Preflight {
 protected:
  CheckContext context(hpcx::Device& device) {
    return {.device = device,
            .host = *device_,
            .world = world_,
            .node = node_,
            .leaders = leaders_,
            .node_ranks = {world_.rank()},
            .leader_ranks = world_.all_gather(world_.rank())};
  }
  /// The figures of links between the devices of the nodes.
  RankRecord measured(hpcx::Device& device, std::optional<TransportKind> transport = {}) {
    CheckContext means = context(device);
    means.transport = transport;
    RankRecord record{.rank = world_.rank(), .node = world_.rank()};
    probe_devices_of_nodes(means, record);
    return record;
  }

  mpi::Communicator node_ = world_.split(world_.rank(), 0);
  std::optional<mpi::Communicator> leaders_ = world_.dup();
};

/// A device of a node, with groups whose messages MPI carries out. It counts the long ones.
class DeviceOfGroups : public test::PeerDevice {
 public:
  DeviceOfGroups(hpcx::Device& device, const mpi::Communicator& comm)
      : PeerDevice(device), comm_(comm.dup()) {
    refuse("nodes map no memory of each other");
  }

  std::map<int, int> sent;  ///< by the rank that they went to

 private:
  class Group final : public hpcx::DeviceGroup {
   public:
    explicit Group(DeviceOfGroups& owner) : owner_(owner) {}
    void exchange(hpcx::StreamRef stream, std::span<const hpcx::DeviceMessage> messages) override {
      stream.synchronize();
      mpi::RequestSet requests;
      for (const hpcx::DeviceMessage& message : messages) {
        const std::span<std::byte> data(message.data, message.bytes);
        if (message.direction == hpcx::DeviceMessage::Direction::Receive) {
          requests.irecv(owner_.comm_, data, message.peer, 0);
          continue;
        }
        requests.isend(owner_.comm_, data, message.peer, 0);
        if (message.bytes == std::size_t{32} << 20) ++owner_.sent[message.peer];
      }
      requests.wait(mpi::WaitPolicy::sleeping());
    }
    void broadcast(hpcx::StreamRef, void*, std::size_t, int) override {}

   private:
    DeviceOfGroups& owner_;
  };

  std::string why_no_groups() const override { return {}; }
  std::unique_ptr<hpcx::DeviceGroup> join(const hpcx::GroupId&, int, int) override {
    return std::make_unique<Group>(*this);
  }

  mpi::Communicator comm_;
};

std::vector<int> peers_of(const RankRecord& record, Figure metric) {
  std::vector<int> peers;
  for (const Measurement& m : record.measurements)
    if (m.metric == metric) {
      EXPECT_GT(m.value, 0);
      peers.push_back(m.peer);
    }
  std::ranges::sort(peers);
  return peers;
}

TEST_F(PreflightOfNodes, DevicesExchangeMemoryInPairsByTheTransportOfARun) {
  DeviceOfGroups device(*device_, world_);
  std::vector<int> above;
  for (int peer = world_.rank() + 1; peer < world_.size(); ++peer)
    above.push_back(peer);
  const RankRecord record = measured(device);
  EXPECT_EQ(peers_of(record, Figure::NodeDeviceBandwidth), above);
  EXPECT_EQ(record.skipped.size(), world_.size() == 1 ? 1U : 0U);
  // One to begin with, and the best of three.
  for (int peer = 0; peer < world_.size(); ++peer)
    EXPECT_GE(device.sent[peer], peer == world_.rank() ? 0 : 4) << peer;
}

TEST_F(PreflightOfNodes, MessagesOneWayLeaveOutTheEndsOfTheLine) {
  if (world_.size() < 3) GTEST_SKIP() << "both neighbours of a rank are one";
  DeviceOfGroups device(*device_, world_);
  const LineExchange exchange(world_, device, TransportKind::Nccl, {.own_broadcast = true});
  device.sent.clear();
  EXPECT_GT(exchange.seconds_one_way(exchange.longest()), 0);
  for (int peer = 0; peer < world_.size(); ++peer)
    EXPECT_EQ(device.sent[peer] > 0, std::abs(peer - world_.rank()) == 1) << peer;
}

TEST_F(PreflightOfNodes, APairIsMeasuredBesideARankWithoutAPartner) {
  if (world_.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  const LineExchange exchange(world_, *device_, TransportKind::MpiDevice);
  // The second time the pair is another one, whose messages must match.
  for (const int first : {0, world_.size() - 2}) {
    const int place = world_.rank() - first;
    const bool in_pair = place == 0 || place == 1;
    const double gbytes =
        exchange.pair_gbytes(in_pair ? std::optional(first + 1 - place) : std::nullopt);
    EXPECT_EQ(gbytes > 0, in_pair) << first;
  }
}

TEST_F(PreflightOfNodes, DeviceMemoryThatRunsSendThroughHostsIsNotMeasured) {
  DeviceOfGroups device(*device_, world_);
  const RankRecord through_hosts = measured(device, TransportKind::MpiHost);
  const RankRecord of_processors = measured(*device_);
  EXPECT_TRUE(through_hosts.measurements.empty());
  EXPECT_TRUE(of_processors.measurements.empty());
  ASSERT_EQ(through_hosts.skipped.size(), 1U);
  ASSERT_EQ(of_processors.skipped.size(), 1U);
  EXPECT_EQ(through_hosts.skipped[0].reason, world_.size() == 1
                                                 ? "there is one node"
                                                 : "runs send it through the memory of the hosts");
  EXPECT_EQ(of_processors.skipped[0].reason, "the device is the host's processor");
}

TEST_F(PreflightOfNodes, MeetInPairsAndCompareTheirClocks) {
  RankRecord record{.rank = world_.rank(), .node = world_.rank()};

  probe_pairs_of_nodes(context(*device_), record);
  probe_clocks(context(*device_), record);

  const bool alone = world_.size() == 1;
  EXPECT_EQ(record.skipped.size(), alone ? 2U : 0U);
  int bandwidths = 0, clocks = 0;
  for (const Measurement& m : record.measurements) {
    if (m.metric == Figure::NodeBandwidth) {
      ++bandwidths;
      EXPECT_GT(m.peer, world_.rank());
      EXPECT_GT(m.value, 0);
    }
    if (m.metric == Figure::ClockOffset) {
      ++clocks;
      EXPECT_LT(std::abs(m.value), 0.1);  // one clock, and half of the fastest trip
    }
  }
  EXPECT_EQ(bandwidths, world_.size() - 1 - world_.rank());
  EXPECT_EQ(clocks, alone ? 0 : 1);
}

}  // namespace
}  // namespace hpl
