#include "fleet_units.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

/// Of equally common numbers the larger.
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
    throw ConfigError(
        fmt::format("--each pair needs two nodes with the same number of ranks, found {}", count));
  const std::size_t rounds = count == 2 ? 1 : count % 2 == 0 ? 2 : 3;
  std::map<std::pair<std::size_t, std::size_t>, int> known;
  for (std::size_t round = 0; round < rounds; ++round) {
    division.rounds.emplace_back();
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      const std::size_t one = (round + i) % count, other = (round + i + 1) % count;
      const auto [pair, is_new] =
          known.try_emplace({one, other}, static_cast<int>(division.units.size()));
      if (is_new) division.units.push_back(ranks_of(nodes, {ring[one], ring[other]}));
      division.rounds.back().push_back(pair->second);
    }
  }
}

}  // namespace

FleetDivision divide_fleet(FleetUnitKind each, const NodeMap& nodes) {
  FleetDivision division;
  division.why_out.resize(static_cast<std::size_t>(nodes.ranks()));
  if (each == FleetUnitKind::Device) {
    for (int rank = 0; rank < nodes.ranks(); ++rank)
      division.units.push_back({rank});
  } else {
    const int usual = usual_ranks(nodes);
    std::vector<int> equal;
    for (int node = 0; node < nodes.nodes(); ++node)
      if (nodes.ranks_on(node) == usual) equal.push_back(node);
    for (std::size_t rank = 0; rank < division.why_out.size(); ++rank)
      if (const int here = nodes.ranks_on(nodes.node_of(static_cast<int>(rank))); here != usual)
        division.why_out[rank] =
            fmt::format("{} rank(s) with a device where most nodes have {}", here, usual);
    if (each == FleetUnitKind::Pair) {
      pair_up(division, nodes, equal);
      return division;
    }
    for (const int node : equal)
      division.units.push_back(ranks_of(nodes, {node}));
  }
  division.rounds.emplace_back(division.units.size());
  std::iota(division.rounds.back().begin(), division.rounds.back().end(), 0);
  return division;
}

}  // namespace hpl
