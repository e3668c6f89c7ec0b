#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

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

}  // namespace hpl
