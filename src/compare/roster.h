#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "snapshot.h"

namespace hpl {

/// Numbers that hosts and members keep over the sides of a comparison.
class Numbering {
 public:
  /// The keys of one host or member, the most telling first; an empty key tells nothing. All have
  /// equally many.
  using Keys = std::vector<std::string>;

  /// Numbers of those of one side. Each is the known one that has its first key, or else its second
  /// one, and so on, or it is new. No two are the same.
  std::vector<std::size_t> add(const std::vector<Keys>& side);

  std::size_t count() const { return count_; }

 private:
  std::vector<std::map<std::string, std::size_t>> known_;  // by position of the key
  std::size_t count_ = 0;
};

/// Hosts of several sides: a renamed one is known by its serial number, or by its boards.
class HostRoster {
 public:
  /// The number that each host keeps, by its name on this side.
  std::map<std::string, std::size_t> add(const Snapshot& side);

 private:
  Numbering numbers_;
};

/// Members that made one run on several sides: a device is known by its serial number, wherever it
/// is; another one by its host and number, and a link by those of its ends.
class MemberRoster {
 public:
  std::vector<std::size_t> add(const Trial& trial, const std::map<std::string, std::size_t>& hosts);

 private:
  Numbering numbers_;
};

/// Serial numbers of the boards of a member, sorted; of a board without one: left out.
std::vector<std::string> serials_of(const FleetMember& member);

/// The value of a fact of a host; empty where it has none.
std::string fact_of(const JobHost& host, std::string_view name);

}  // namespace hpl
