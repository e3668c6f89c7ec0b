#include "placement.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"

namespace hpl {

int device_numa_node(const std::string& pci_address, const FileReader& read) {
  if (pci_address.empty()) return -1;
  std::string name = pci_address;
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  const auto text = read("/sys/bus/pci/devices/" + name + "/numa_node");
  const auto node = text ? parse_integer(trimmed(*text)) : std::nullopt;
  return node && *node >= 0 ? static_cast<int>(*node) : -1;
}

bool is_far(const CoreSet& cores, int numa_node, const FileReader& read) {
  if (numa_node < 0) return false;
  constexpr std::int64_t kFar = 20;  // 10 is the distance to itself
  const auto text = read(fmt::format("/sys/devices/system/node/node{}/distance", numa_node));
  const auto distances = text ? split_words(trimmed(*text)) : std::vector<std::string_view>{};
  return std::ranges::none_of(cores, [&](const Core& core) {
    const auto at = static_cast<std::size_t>(core.numa_node);
    const auto distance = at < distances.size() ? parse_integer(distances[at]) : std::nullopt;
    return distance ? *distance < kFar : core.numa_node == numa_node;
  });
}

}  // namespace hpl
