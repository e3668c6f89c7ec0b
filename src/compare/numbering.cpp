#include "numbering.h"

#include <algorithm>
#include <optional>
#include <set>

namespace hpl {

std::vector<std::size_t> Numbering::add(const std::vector<Keys>& side) {
  std::vector<std::optional<std::size_t>> numbers(side.size());
  std::set<std::size_t> taken;
  if (!side.empty()) known_.resize(std::max(known_.size(), side.front().size()));
  for (std::size_t position = 0; position < known_.size(); ++position)
    for (std::size_t i = 0; i < side.size(); ++i) {
      if (numbers[i] || side[i][position].empty()) continue;
      const auto found = known_[position].find(side[i][position]);
      if (found != known_[position].end() && taken.insert(found->second).second)
        numbers[i] = found->second;
    }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < side.size(); ++i) {
    result.push_back(numbers[i] ? *numbers[i] : count_++);
    for (std::size_t position = 0; position < known_.size(); ++position)
      if (!side[i][position].empty()) known_[position][side[i][position]] = result.back();
  }
  return result;
}

}  // namespace hpl
