#include "hpl/report/result/disturbance.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"

namespace hpl {

namespace {

/// Of the cores of a host, beside a run on its processors: what a system does by itself is less.
constexpr double kMuchOnProcessors = 0.05;
/// Beside a run on GPUs, whose ranks keep a few of the cores busy.
constexpr double kMuchBesideGpus = 0.5;
/// Of the rate of products alone.
constexpr double kMuchChange = 0.1;

bool on_processors(const RunResult& run) {
  return std::ranges::all_of(run.devices,
                             [](const DeviceTelemetry& device) { return device.backend == "cpu"; });
}

}  // namespace

std::vector<std::string> disturbances(const std::optional<OtherProcesses>& others,
                                      bool on_processors) {
  const double much = on_processors ? kMuchOnProcessors : kMuchBesideGpus;
  if (!others || others->share < much) return {};
  return {fmt::format("other processes took {:.0f} % of the cores of {}", 100 * others->share,
                      others->host)};
}

bool is_disturbed(const RunResult& run) {
  return !disturbances(run.others, on_processors(run)).empty();
}

std::string disturbance_text(std::span<const RunResult* const> runs) {
  double most = 0;
  std::vector<std::string> hosts;
  for (const RunResult* const run : runs)
    if (is_disturbed(*run)) {
      most = std::max(most, run->others->share);
      hosts.push_back(run->others->host);
    }
  if (hosts.empty()) return {};
  return fmt::format("other processes took up to {:.0f} % of the cores of {} ({} of {})",
                     100 * most, host_list(hosts), hosts.size(), count_text(runs.size(), "run"));
}

std::string disturbance_text(std::span<const RunResult> runs) {
  std::vector<const RunResult*> all;
  for (const RunResult& run : runs)
    all.push_back(&run);
  return disturbance_text(all);
}

std::vector<std::string> disturbances(const RunResult& run) {
  std::vector<std::string> found = disturbances(run.others, on_processors(run));
  if (run.products_change && std::abs(*run.products_change) >= kMuchChange)
    found.push_back(fmt::format("products alone ran {:.0f} % {} after it than before",
                                100 * std::abs(*run.products_change),
                                *run.products_change < 0 ? "slower" : "faster"));
  return found;
}

}  // namespace hpl
