#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "hpl/check/findings/node_links.h"
#include "hpl/check/probes/line_exchange.h"
#include "hpl/check/probes/probe.h"
#include "hpl/comm/transport/peer_memory.h"
#include "hpl/comm/transport/transport_choice.h"
#include "link_timer.h"
#include "pairing.h"

namespace hpl {
namespace {

constexpr const char* kNoDevice = "the device is the host's processor";

/// Why the devices of a node's ranks have no links to measure; the same on all ranks of the node.
std::string why_no_links(const CheckContext& context) {
  if (context.device_is_host()) return kNoDevice;
  if (context.node.size() < 2) return "the node has one rank";
  return {};
}

/// Calls `measure(peer)` on both ranks of each pair of the node's, in rounds of disjoint pairs, and
/// notes what the lower rank's gives.
template <class Measure>
void measure_pairs(const CheckContext& context, Figure metric, RankRecord& record,
                   Measure&& measure) {
  const int size = context.node.size();
  for (int round = 0; round < tournament_rounds(size); ++round) {
    context.node.barrier();  // no pair of the round before disturbs this one
    const auto peer = tournament_partner(size, round, context.node.rank());
    if (!peer) continue;
    const double gbytes = measure(*peer);
    if (context.node.rank() < *peer)
      record.measurements.push_back({metric, context.node_ranks[*peer], gbytes});
  }
}

}  // namespace

void probe_device_pairs(const CheckContext& context, RankRecord& record) {
  constexpr const char* kName = "links between devices";
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  constexpr int kCopies = 8;
  std::string reason = why_no_links(context);
  if (!reason.empty()) return skip(record, kName, reason);
  const PeerMemory memory(context.device, context.node, 2 * kBytes);
  if (!memory.refusal().empty()) return skip(record, kName, memory.refusal());
  const hpcx::Stream owned = context.device.create_stream(hpcx::Priority::Normal);
  const hpcx::StreamRef stream = owned;
  context.device.kernels().clear(stream, memory.own());
  stream.synchronize();
  measure_pairs(context, Figure::DevicePairBandwidth, record, [&](int peer) {
    // Both fetch at once: what one sends beside what it receives.
    const auto copy = [&] {
      stream.copy(memory.own().as<std::byte>(kBytes), memory.of(peer).as<std::byte>(), kBytes);
    };
    copy();  // maps and connections are made at the first use
    stream.synchronize();
    hpcx::Event begin = stream.record();
    double best = 0;
    for (int i = 0; i < kCopies; ++i) {
      copy();
      const hpcx::Event end = stream.record();
      end.synchronize();
      best = std::max(best, 1e-9 * static_cast<double>(kBytes) / end.seconds_since(begin));
      begin = end;
    }
    return best;
  });
}

void probe_device_messages(const CheckContext& context, RankRecord& record) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  std::string reason = why_no_links(context);
  if (reason.empty())
    reason = why_no_device_messages(context.node, context.device, mpi::WaitPolicy::sleeping());
  if (!reason.empty()) return skip(record, "MPI with device memory", reason);
  const hpcx::Buffer memory = context.device.allocate(2 * kBytes);
  LinkTimer timer(context.node, false, {memory.as<std::byte>(), memory.bytes()});
  measure_pairs(context, Figure::DeviceMessageBandwidth, record,
                [&](int peer) { return timer.measure(peer).bandwidth_gbytes; });
}

void probe_devices_of_nodes(const CheckContext& context, RankRecord& record) {
  constexpr const char* kName = "device memory between nodes";
  if (context.device_is_host()) return skip(record, kName, kNoDevice);
  if (context.leader_ranks.size() < 2) return skip(record, kName, "there is one node");
  if (!context.leaders) return;  // another rank of the node measures
  const mpi::Communicator& leaders = *context.leaders;
  const int size = leaders.size();
  // A connection takes memory of the device: of many nodes the neighbours in a ring.
  const bool all = size <= kNodesWithAllLinks;
  std::vector<int> peers;
  for (int peer = 0; all && peer < size; ++peer)
    if (peer != leaders.rank()) peers.push_back(peer);
  const LineExchange exchange(leaders, context.device, context.transport,
                              {.peers = std::move(peers)});
  if (exchange.transport().kind() == TransportKind::MpiHost)
    return skip(record, kName, "runs send it through the memory of the hosts");
  for (int round = 0; round < (all ? tournament_rounds(size) : ring_rounds(size)); ++round) {
    const auto peer = all ? tournament_partner(size, round, leaders.rank())
                          : ring_partner(size, round, leaders.rank());
    leaders.barrier();  // no pair of the round before disturbs this one
    const double gbytes = exchange.pair_gbytes(peer);
    if (peer && leaders.rank() < *peer)
      record.measurements.push_back(
          {Figure::NodeDeviceBandwidth, context.leader_ranks[*peer], gbytes});
  }
}

}  // namespace hpl
