#include "slots.h"

#include <limits>
#include <unordered_map>

#include "hpl/base/error/error.h"

namespace hpl::gemm {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Slot {
  std::int64_t piece = -1;
  std::int64_t last_read = -1;
  std::int64_t next_read = kNever;
};

/// The step that reads the same piece next, in the same period.
std::vector<std::int64_t> next_reads(const std::vector<std::int64_t>& accesses,
                                     const std::vector<std::int64_t>& periods) {
  std::vector<std::int64_t> next(accesses.size(), kNever);
  std::unordered_map<std::int64_t, std::size_t> later;
  for (std::size_t s = accesses.size(); s-- > 0;) {
    const auto found = later.find(accesses[s]);
    if (found != later.end() && periods[found->second] == periods[s])
      next[s] = static_cast<std::int64_t>(found->second);
    later[accesses[s]] = s;
  }
  return next;
}

}  // namespace

std::vector<Placement> place_pieces(const std::vector<std::int64_t>& accesses,
                                    const std::vector<std::int64_t>& periods, int slots) {
  HPL_ASSERT(slots > 0 && accesses.size() == periods.size());
  const std::vector<std::int64_t> next = next_reads(accesses, periods);
  std::vector<Slot> all(static_cast<std::size_t>(slots));
  std::unordered_map<std::int64_t, std::size_t> slot_of;  // of pieces that are there
  std::vector<Placement> placements;
  placements.reserve(accesses.size());
  for (std::size_t s = 0; s < accesses.size(); ++s) {
    if (s > 0 && periods[s] != periods[s - 1]) {
      slot_of.clear();
      for (Slot& slot : all)
        slot.next_read = kNever;
    }
    const auto found = slot_of.find(accesses[s]);
    std::size_t chosen = 0;
    Placement placement;
    if (found != slot_of.end()) {
      chosen = found->second;
    } else {
      for (std::size_t i = 1; i < all.size(); ++i) {
        const bool later = all[i].next_read > all[chosen].next_read;
        const bool longer_idle =
            all[i].next_read == all[chosen].next_read && all[i].last_read < all[chosen].last_read;
        if (later || longer_idle) chosen = i;
      }
      slot_of.erase(all[chosen].piece);
      slot_of[accesses[s]] = chosen;
      placement.load = true;
      placement.after = all[chosen].last_read;
    }
    placement.slot = static_cast<int>(chosen);
    placements.push_back(placement);
    all[chosen] = {accesses[s], static_cast<std::int64_t>(s), next[s]};
  }
  return placements;
}

}  // namespace hpl::gemm
