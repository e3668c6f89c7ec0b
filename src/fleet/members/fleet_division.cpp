#include "fleet_division.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/quantity.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/machine/host/versions.h"

namespace hpl {

namespace {

/// The most common number of ranks on a node; the larger of equally common ones.
int usual_ranks(const NodeMap& nodes) {
  std::map<int, int> counts;
  for (int node = 0; node < nodes.nodes(); ++node)
    ++counts[nodes.ranks_on(node)];
  int usual = 0, most = 0;
  for (const auto& [ranks, count] : counts)
    if (count >= most) {
      usual = ranks;
      most = count;
    }
  return usual;
}

std::vector<int> ranks_of(const NodeMap& nodes, std::initializer_list<int> wanted) {
  std::vector<int> ranks;
  for (int rank = 0; rank < nodes.ranks(); ++rank)
    if (std::ranges::find(wanted, nodes.node_of(rank)) != wanted.end()) ranks.push_back(rank);
  return ranks;
}

void pair_up(FleetDivision& division, const NodeMap& nodes, const std::vector<int>& ring) {
  const std::size_t count = ring.size();
  if (count < 2)
    throw ConfigError("xhpl fleet pair needs two nodes with the same number of ranks, found {}",
                      count);
  const std::size_t rounds = count == 2 ? 1 : count % 2 == 0 ? 2 : 3;
  std::map<std::pair<std::size_t, std::size_t>, int> known;
  for (std::size_t round = 0; round < rounds; ++round) {
    division.rounds.emplace_back();
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      const std::size_t one = (round + i) % count, other = (round + i + 1) % count;
      const auto [pair, is_new] =
          known.try_emplace({one, other}, static_cast<int>(division.members.size()));
      if (is_new) division.members.push_back(ranks_of(nodes, {ring[one], ring[other]}));
      division.rounds.back().push_back(pair->second);
    }
  }
}

/// The lowest rank on the node of each rank. Ranks share a node where MPI says so and the hosts
/// have one name: containers of a machine are nodes of their own. Collective over `ranks`.
std::vector<int> first_ranks(const mpi::Communicator& ranks) {
  struct Name {
    std::array<char, 256> text{};
  };
  Name mine;
  const std::string name = host_name();
  std::copy_n(name.begin(), std::min(name.size(), mine.text.size() - 1), mine.text.begin());
  const std::vector<Name> names = ranks.all_gather(mine);
  const NodeMap shared = NodeMap::of(ranks);
  std::map<std::pair<int, std::string>, int> first;
  std::vector<int> first_rank;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const std::string host = names[rank].text.data();
    first_rank.push_back(first.try_emplace({shared.node_of(rank), host}, rank).first->second);
  }
  return first_rank;
}

}  // namespace

FleetDivision divide_fleet(FleetMemberKind each, const NodeMap& nodes) {
  FleetDivision division;
  division.why_out.resize(nodes.ranks());
  if (each == FleetMemberKind::Device) {
    for (int rank = 0; rank < nodes.ranks(); ++rank)
      division.members.push_back({rank});
  } else {
    const int usual = usual_ranks(nodes);
    std::vector<int> equal;
    for (int node = 0; node < nodes.nodes(); ++node)
      if (nodes.ranks_on(node) == usual) equal.push_back(node);
    for (std::size_t rank = 0; rank < division.why_out.size(); ++rank)
      if (const int here = nodes.ranks_on(nodes.node_of(static_cast<int>(rank))); here != usual)
        division.why_out[rank] = fmt::format("{} with a device where most nodes have {}",
                                             count_text(here, "rank"), usual);
    if (each == FleetMemberKind::Pair) {
      pair_up(division, nodes, equal);
      return division;
    }
    for (const int node : equal)
      division.members.push_back(ranks_of(nodes, {node}));
  }
  division.rounds.emplace_back(division.members.size());
  std::iota(division.rounds.back().begin(), division.rounds.back().end(), 0);
  return division;
}

FleetRanks::FleetRanks(const mpi::Communicator& world, const Machine& machine,
                       FleetMemberKind each) {
  const bool sound = machine.problem().empty();
  active_ = world.subset(sound, world.rank());
  const int holder =
      static_cast<int>(world.all_reduce(sound ? world.rank() : world.size(), mpi::Reduce::Min));
  if (holder == world.size()) mpi::agree_or_throw(world, machine.problem());
  std::vector<int> first;
  if (active_) {
    active_ranks_ = active_->all_gather(world.rank());
    first = first_ranks(*active_);
  }
  // The rank that reports may have no device: one that has tells the others.
  for (std::vector<int>* const numbers : {&active_ranks_, &first}) {
    numbers->resize(world.broadcast_value(numbers->size(), holder));
    world.broadcast(std::as_writable_bytes(std::span(*numbers)), holder);
  }
  division_ = divide_fleet(each, NodeMap(first));
}

std::string FleetRanks::why_out(const Machine& machine) const {
  return active_ ? division_.why_out[active_->rank()] : machine.problem();
}

std::optional<int> FleetRanks::position_in(std::size_t round) const {
  if (!active_) return std::nullopt;
  const std::vector<int>& members = division_.rounds[round];
  const auto found = std::ranges::find_if(members, [&](int member) {
    const std::vector<int>& ranks = division_.members[member];
    return std::ranges::find(ranks, active_->rank()) != ranks.end();
  });
  if (found == members.end()) return std::nullopt;
  return static_cast<int>(found - members.begin());
}

std::vector<int> FleetRanks::world_ranks(int member) const {
  std::vector<int> ranks;
  for (const int rank : division_.members[member])
    ranks.push_back(active_ranks_[rank]);
  return ranks;
}

}  // namespace hpl
