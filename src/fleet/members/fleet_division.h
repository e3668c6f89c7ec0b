#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/choice/choices.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/job/ranks/machine.h"
#include "hpl/lu/grid/node_tiles.h"

namespace hpl {

/// The division of a fleet. Ranks count from 0 among those with a device.
struct FleetDivision {
  std::vector<std::vector<int>> members;  ///< ranks of each, ascending
  /// Numbers of the members that run at the same time; one after the other until all have run.
  std::vector<std::vector<int>> rounds;
  std::vector<std::string> why_out;  ///< by rank: why it has no part; empty: it has one
};

/// Devices are single ranks. Nodes take part that have as many ranks as most others. Pairs are
/// neighbours in a ring of nodes: in even rounds (0, 1), (2, 3), ..., in odd ones (1, 2), (3, 4),
/// ..., and in a third one what an odd number of nodes leaves open. Throws ConfigError where there
/// are no two nodes for a pair. Pure.
FleetDivision divide_fleet(FleetMemberKind each, const NodeMap& nodes);

/// The ranks of a fleet and their members. Every rank of the world knows the division; ranks
/// without a device have no part in it.
class FleetRanks {
 public:
  /// Collective over `world`; throws as divide_fleet() does, and mpi::AgreedFailure where no rank
  /// has a device.
  FleetRanks(const mpi::Communicator& world, const Machine& machine, FleetMemberKind each);

  const FleetDivision& division() const { return division_; }
  /// The ranks that have a device; empty on the others.
  const std::optional<mpi::Communicator>& active() const { return active_; }
  /// The ranks of a member in the world.
  std::vector<int> world_ranks(int member) const;
  /// Why this rank has no part; empty: it has one.
  std::string why_out(const Machine& machine) const;
  /// Number of this rank's member among those of a round; empty: it rests.
  std::optional<int> position_in(std::size_t round) const;

 private:
  std::optional<mpi::Communicator> active_;
  std::vector<int> active_ranks_;  // their ranks in the world
  FleetDivision division_;
};

}  // namespace hpl
