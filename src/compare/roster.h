#pragma once

#include <map>
#include <string>
#include <vector>

#include "numbering.h"
#include "snapshot.h"

namespace hpl {

/// Hosts of several sides: a renamed one is known by its serial number, or by its boards.
class HostRoster {
 public:
  /// The number that each host keeps, by its name on this side.
  std::map<std::string, std::size_t> add(const Snapshot& side);

 private:
  Numbering numbers_;
};

/// Members that made one run on several sides: a device is known by its serial number, wherever it
/// is; another one by its host and number.
class MemberRoster {
 public:
  std::vector<std::size_t> add(const std::vector<FleetMember>& members,
                               const std::map<std::string, std::size_t>& hosts);

 private:
  Numbering numbers_;
};

/// Serial numbers of the boards of a member, sorted; of a board without one: left out.
std::vector<std::string> serials_of(const FleetMember& member);

/// The value of a fact of a host; empty where it has none.
std::string fact_of(const JobHost& host, std::string_view name);

}  // namespace hpl
