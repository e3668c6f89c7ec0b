#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/check/findings/check_report.h"
#include "hpl/check/findings/record.h"

namespace hpl {

/// A rank or link of a check, by the name that it has in every check of its hosts. It is made of
/// what a document holds, which is less than the check itself knows.
struct CheckMember {
  std::string name;  ///< "node1 cuda 0", "node1 cuda 0 - cuda 1", "node1 - node2"
  std::string kind;  ///< model of processor or device, or kind of links
  std::vector<std::string> hosts;
  std::vector<int> ranks;  ///< of a link both ends

  bool is_link() const { return ranks.size() > 1; }
};

/// The members of a check. Borrows the ranks, which are in their order.
class CheckMembers {
 public:
  explicit CheckMembers(std::span<const RankRecord> ranks);

  CheckMember of(const RankRecord& rank) const;
  /// The owner of a figure of the rank. A document of many nodes keeps the median of each node,
  /// without the other ends: a figure of the rank.
  CheckMember of(const RankRecord& rank, const Measurement& measured) const;

 private:
  const std::string& place(const RankRecord& rank) const {
    return places_[static_cast<std::size_t>(rank.rank)];
  }

  std::span<const RankRecord> ranks_;
  std::vector<std::string> places_;
};

/// The place of a member on its hosts: "cuda 0 - cuda 1".
std::string place_of(std::string name, std::span<const std::string> hosts);

/// Figures of links between nodes.
bool is_of_nodes(Figure figure);

/// Whether two checks are compared by the figure. Clocks are set by a time service, and cores that
/// other work used say nothing.
bool is_comparable(const RankRecord& rank, const Measurement& measured);

/// Documents come from hosts under suspicion. Throws ConfigError, which begins with `name`, unless
/// the ranks are in their order and their peers exist.
void require_order(const CheckReport& check, const std::string& name);

}  // namespace hpl
