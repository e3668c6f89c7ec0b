#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/machine/host/topology.h"

namespace hpl {
namespace {

using Ranks = std::vector<std::size_t>;

std::vector<int> ids_of(const CoreSet& cores) {
  std::vector<int> ids;
  for (const auto& core : cores)
    ids.push_back(core.id);
  return ids;
}

/// Ranks connected by common cores, each group and the groups in rank order.
std::vector<Ranks> overlapping_ranks(const std::vector<CoreSet>& rank_cores) {
  Ranks leader(rank_cores.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  std::map<int, std::size_t> first_user;
  for (std::size_t rank = 0; rank < rank_cores.size(); ++rank) {
    for (const auto& core : rank_cores[rank]) {
      const auto [place, is_first] = first_user.try_emplace(core.id, rank);
      if (!is_first && leader[place->second] != leader[rank]) {
        const auto [kept, merged] = std::minmax(leader[place->second], leader[rank]);
        // Copies: the references that minmax gives point into the range being changed.
        const std::size_t from = merged, to = kept;
        std::replace(leader.begin(), leader.end(), from, to);
      }
    }
  }
  std::map<std::size_t, Ranks> groups;
  for (std::size_t rank = 0; rank < leader.size(); ++rank)
    groups[leader[rank]].push_back(rank);
  std::vector<Ranks> result;
  for (auto& [first, ranks] : groups)
    result.push_back(std::move(ranks));
  return result;
}

/// Equal masks: piece i of the common cores, [i C / R, (i+1) C / R) with the longer pieces first.
void split_equal(const Ranks& ranks, const std::vector<CoreSet>& rank_cores,
                 std::vector<RankCores>& shares) {
  const std::size_t cores = rank_cores[ranks.front()].size();
  const std::size_t size = cores / ranks.size(), longer = cores % ranks.size();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto& own = rank_cores[ranks[i]];
    if (size == 0) {
      shares[ranks[i]].cores = {own[i * cores / ranks.size()]};
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(i * size + std::min(i, longer));
    const auto count = static_cast<std::ptrdiff_t>(size + (i < longer ? 1 : 0));
    shares[ranks[i]].cores.assign(own.begin() + first, own.begin() + first + count);
  }
}

/// Overlapping masks that differ: rounds of bipartite matching. In every round each rank tries to
/// gain one core, if need be by letting others swap theirs for free ones (an augmenting path);
/// nobody ever loses one.
class Matching {
 public:
  explicit Matching(const std::vector<CoreSet>& rank_cores) : rank_cores_(rank_cores) {}

  bool gain(std::size_t rank) {
    tried_.clear();
    return augment(rank);
  }

  CoreSet cores_of(std::size_t rank) const {
    CoreSet cores;
    for (const auto& core : rank_cores_[rank]) {
      const auto place = owner_.find(core.id);
      if (place != owner_.end() && place->second == rank) cores.push_back(core);
    }
    return cores;
  }

 private:
  bool augment(std::size_t rank) {
    for (const auto& core : rank_cores_[rank]) {
      if (owner_.count(core.id) == 0) {
        owner_[core.id] = rank;
        return true;
      }
    }
    for (const auto& core : rank_cores_[rank]) {
      if (owner_[core.id] == rank || !tried_.insert(core.id).second) continue;
      if (augment(owner_[core.id])) {
        owner_[core.id] = rank;
        return true;
      }
    }
    return false;
  }

  const std::vector<CoreSet>& rank_cores_;
  std::map<int, std::size_t> owner_;
  std::set<int> tried_;
};

void split_unequal(const Ranks& ranks, const std::vector<CoreSet>& rank_cores,
                   std::vector<RankCores>& shares) {
  Matching matching(rank_cores);
  for (bool gained = true; gained;) {
    gained = false;
    for (const auto rank : ranks)
      gained = matching.gain(rank) || gained;
  }
  for (const auto rank : ranks) {
    shares[rank].cores = matching.cores_of(rank);
    if (shares[rank].cores.empty()) {
      shares[rank].cores = {rank_cores[rank].front()};
    }
  }
}

void mark_shared_cores(std::vector<RankCores>& shares) {
  std::map<int, int> users;
  for (const auto& share : shares) {
    for (const auto& core : share.cores)
      ++users[core.id];
  }
  for (auto& share : shares) {
    for (const auto& core : share.cores) {
      if (users[core.id] > 1 && !share.oversubscribed) {
        share.oversubscribed = true;
        share.remark =
            fmt::format("core {} is shared by {} ranks: more ranks than cores on this host",
                        core.id, users[core.id]);
      }
    }
  }
}

void apply_quota(double quota, std::vector<RankCores>& shares) {
  const auto granted = static_cast<std::size_t>(std::max(1.0, std::floor(quota)));
  std::size_t wanted = 0;
  for (const auto& share : shares)
    wanted += share.cores.size();
  if (wanted <= granted) return;
  const bool short_of_ranks = granted < shares.size();
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    auto& share = shares[rank];
    const auto size = granted / shares.size() + (rank < granted % shares.size() ? 1 : 0);
    const auto keep = std::min(share.cores.size(), std::max<std::size_t>(1, size));
    if (keep < share.cores.size() || short_of_ranks) {
      share.remark = fmt::format(
          "the control group allows {:.1f} processors for {} ranks: {} of {} cores used", quota,
          shares.size(), keep, share.cores.size());
    }
    share.oversubscribed = share.oversubscribed || short_of_ranks;
    share.cores.resize(keep);
  }
}

}  // namespace

std::vector<RankCores> split_cores(const std::vector<CoreSet>& rank_cores,
                                   std::optional<double> cpu_quota) {
  std::vector<RankCores> shares(rank_cores.size());
  for (const auto& ranks : overlapping_ranks(rank_cores)) {
    const auto ids = ids_of(rank_cores[ranks.front()]);
    if (ids.empty()) {
      shares[ranks.front()].remark =
          "the cores of this rank are unknown: its threads are not bound";
      continue;
    }
    const bool equal = std::all_of(ranks.begin(), ranks.end(), [&](std::size_t rank) {
      return ids_of(rank_cores[rank]) == ids;
    });
    if (equal) {
      split_equal(ranks, rank_cores, shares);
    } else {
      split_unequal(ranks, rank_cores, shares);
    }
  }
  mark_shared_cores(shares);
  if (cpu_quota) apply_quota(*cpu_quota, shares);
  return shares;
}

std::optional<std::string> shared_cores_fault(const std::vector<RankCores>& shares,
                                              const std::vector<int>& ranks) {
  std::map<int, std::vector<int>> users;  // ranks by core
  for (std::size_t i = 0; i < shares.size(); ++i)
    for (const auto& core : shares[i].cores)
      users[core.id].push_back(ranks[i]);
  for (const auto& [core, sharing] : users)
    if (sharing.size() > 1)
      return fmt::format("{} share core {}: start with --bind-to none or fewer ranks",
                         rank_list(sharing), core);
  const auto short_of = std::ranges::find(shares, true, &RankCores::oversubscribed);
  if (short_of == shares.end()) return std::nullopt;
  return short_of->remark + ": start fewer ranks";
}

std::optional<std::string> idle_cores_remark(const std::vector<RankCores>& shares,
                                             int allowed_cores) {
  std::set<int> used;
  for (const auto& share : shares) {
    if (!share.remark.empty()) return std::nullopt;
    for (const auto& core : share.cores)
      used.insert(core.id);
  }
  const int count = static_cast<int>(used.size());
  if (count == 0 || count >= allowed_cores) return std::nullopt;
  return fmt::format(
      "the launcher's binding leaves {} of {} cores of this host idle; mpirun --bind-to none lets "
      "xhpl divide them",
      allowed_cores - count, allowed_cores);
}

}  // namespace hpl
