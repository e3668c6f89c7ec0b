#include "fleet_members.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "hpl/comm/mpi/failure.h"
#include "hpl/machine/host/versions.h"

namespace hpl {

namespace {

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
    const std::string host = names[static_cast<std::size_t>(rank)].text.data();
    first_rank.push_back(first.try_emplace({shared.node_of(rank), host}, rank).first->second);
  }
  return first_rank;
}

}  // namespace

FleetMembers::FleetMembers(const mpi::Communicator& world, const Machine& machine,
                           FleetUnitKind each)
    : world_(world) {
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

std::string FleetMembers::why_out(const Machine& machine) const {
  return active_ ? division_.why_out[static_cast<std::size_t>(active_->rank())] : machine.problem();
}

std::optional<int> FleetMembers::position_in(std::size_t round) const {
  if (!active_) return std::nullopt;
  const std::vector<int>& units = division_.rounds[round];
  const auto found = std::ranges::find_if(units, [&](int unit) {
    const std::vector<int>& ranks = division_.units[static_cast<std::size_t>(unit)];
    return std::ranges::find(ranks, active_->rank()) != ranks.end();
  });
  if (found == units.end()) return std::nullopt;
  return static_cast<int>(found - units.begin());
}

std::vector<std::unique_ptr<FleetPart>> FleetMembers::parts(const Machine& machine,
                                                            const Options& options,
                                                            Watchdog& watchdog,
                                                            const Rates* rates) const {
  std::vector<std::unique_ptr<FleetPart>> parts(division_.rounds.size());
  if (!active_) return parts;
  for (std::size_t round = 0; round < parts.size(); ++round) {
    const auto position = position_in(round);
    const std::vector<int>& units = division_.rounds[round];
    mpi::Communicator ranks =
        active_->split(position.value_or(static_cast<int>(units.size())), active_->rank());
    if (position)
      parts[round] =
          std::make_unique<FleetPart>(units[static_cast<std::size_t>(*position)], std::move(ranks),
                                      world_.rank(), machine, options, watchdog, rates);
  }
  return parts;
}

}  // namespace hpl
