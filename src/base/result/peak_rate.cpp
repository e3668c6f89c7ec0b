#include "hpl/base/result/peak_rate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hpl {

std::optional<PeakRate> sum_of(std::span<const std::optional<PeakRate>> peaks) {
  if (peaks.empty()) return std::nullopt;
  PeakRate sum;
  std::vector<std::pair<std::string, int>> sources;
  for (const std::optional<PeakRate>& peak : peaks) {
    if (!peak) return std::nullopt;
    sum.gflops += peak->gflops;
    const auto known =
        std::ranges::find(sources, peak->source, &decltype(sources)::value_type::first);
    if (known == sources.end())
      sources.emplace_back(peak->source, 1);
    else
      ++known->second;
  }
  for (const auto& [source, count] : sources)
    sum.source += fmt::format("{}{} x ({})", sum.source.empty() ? "" : ", ", count, source);
  return sum;
}

}  // namespace hpl
