#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet_part.h"
#include "fleet_units.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/job/setup/machine.h"

namespace hpl {

/// Who takes part in a fleet, and in which unit. Every rank of the world knows the division; ranks
/// without a device have no part in it.
class FleetMembers {
 public:
  /// Collective over `world`; throws as divide_fleet() does, and mpi::AgreedFailure where no rank
  /// has a device.
  FleetMembers(const mpi::Communicator& world, const Machine& machine, FleetUnitKind each);

  const FleetDivision& division() const { return division_; }
  /// The ranks that have a device; empty on the others.
  const std::optional<mpi::Communicator>& active() const { return active_; }
  /// Their ranks in the world.
  const std::vector<int>& active_ranks() const { return active_ranks_; }
  /// Why this rank has no part; empty: it has one.
  std::string why_out(const Machine& machine) const;

  /// Number of this rank's unit among those of a round; empty: it rests.
  std::optional<int> position_in(std::size_t round) const;
  /// This rank's part in each round of the division; null where it rests. Collective over the
  /// active ranks.
  std::vector<std::unique_ptr<FleetPart>> parts(const Machine& machine, const Options& options,
                                                Watchdog& watchdog, const Rates* rates) const;

 private:
  const mpi::Communicator& world_;
  std::optional<mpi::Communicator> active_;
  std::vector<int> active_ranks_;
  FleetDivision division_;
};

}  // namespace hpl
