#pragma once

#include <string>
#include <vector>

#include "hpl/base/choice/fleet_unit_kind.h"
#include "hpl/lu/grid/node_tiles.h"

namespace hpl {

/// How a fleet is divided.
struct FleetDivision {
  std::vector<std::vector<int>> units;  ///< ranks of each, ascending
  /// Numbers of the units that run at the same time; one after the other until all have run.
  std::vector<std::vector<int>> rounds;
  std::vector<std::string> why_out;  ///< by rank: why it has no part; empty: it has one
};

/// Devices are single ranks. Nodes take part that have as many ranks as most others. Pairs are
/// neighbours in a ring of nodes: in even rounds (0, 1), (2, 3), ..., in odd ones (1, 2), (3, 4),
/// ..., and in a third one what an odd number of nodes leaves open. Throws ConfigError where there
/// are no two nodes for a pair. Pure.
FleetDivision divide_fleet(FleetUnitKind each, const NodeMap& nodes);

}  // namespace hpl
