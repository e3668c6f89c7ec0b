#pragma once

#include <map>
#include <string>
#include <vector>

#include "snapshot.h"

namespace hpl {

/// Facts of hosts, their boards and the job along the sides of a comparison.
class ChangedFacts {
 public:
  /// Adds a side. `hosts`: numbers by the name on this side.
  void add(const Snapshot& side, const std::map<std::string, std::size_t>& hosts);

  /// Ordered by side; settings first, then software, then hardware.
  std::vector<ChangedFact> all() const;

 private:
  using Values = std::map<std::string, std::string>;  // by fact

  void note(ChangedFact change, const std::string& host);
  void compare(const Values& before, const Values& now, const std::string& host);

  int side_ = -1;
  std::map<std::size_t, Values> hosts_;     // last seen of each host
  std::map<std::string, Values> settings_;  // last seen of each run
  Values usual_;                            // values on the last side, all hosts together
  std::vector<ChangedFact> changes_;
};

}  // namespace hpl
