#include "hpl/machine/host/cpu_info.h"

namespace hpl {

std::string_view cpu_info_value(std::string_view cpuinfo, std::string_view key) {
  for (const auto line : split_lines(cpuinfo)) {
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key) {
      return trimmed(line.substr(colon + 1));
    }
  }
  return {};
}

CpuFeatures parse_cpu_features(std::string_view cpuinfo) {
  auto line = cpu_info_value(cpuinfo, "flags");
  if (line.empty()) {
    line = cpu_info_value(cpuinfo, "Features");
  }
  CpuFeatures features;
  for (const auto word : split_words(line)) {
    features.emplace(word);
  }
  return features;
}

CpuFeatures cpu_features(const FileReader& read) {
  return parse_cpu_features(read("/proc/cpuinfo").value_or(""));
}

}  // namespace hpl
