#include "hpl/machine/host/cpu_info.h"

namespace hpl {
namespace {

/// Value of the first line "key   : value".
std::string_view value_of(std::string_view text, std::string_view key) {
  for (const auto line : split_lines(text)) {
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key) {
      return trimmed(line.substr(colon + 1));
    }
  }
  return {};
}

}  // namespace

CpuFeatures parse_cpu_features(std::string_view cpuinfo) {
  auto line = value_of(cpuinfo, "flags");
  if (line.empty()) {
    line = value_of(cpuinfo, "Features");
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
