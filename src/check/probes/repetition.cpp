#include "repetition.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "hpl/base/number/statistics.h"
#include "hpl/check/findings/population.h"

namespace hpl {
namespace {

bool& flag_of(MetricFlags& flags, Metric metric) {
  return flags[static_cast<std::size_t>(metric)];
}

}  // namespace

MetricFlags doubtful_metrics(const CheckReport& report) {
  MetricFlags doubtful{};
  if (shares_cores(report)) return doubtful;
  for (const Finding& finding : report.findings)
    if (finding.kind == FindingKind::Outlier && finding.metric)
      flag_of(doubtful, *finding.metric) = true;
  for (const MetricSummary& figures : report.summaries)
    if (info(figures.metric).owner == Owner::Processor &&
        info(figures.metric).better == Better::Higher && figures.count >= kFewestPeers &&
        figures.maximum - figures.minimum > report.tolerance * figures.median)
      flag_of(doubtful, figures.metric) = true;
  return doubtful;
}

MetricFlags metrics_of(std::span<const Measurement> measurements) {
  MetricFlags measured{};
  for (const Measurement& one : measurements)
    flag_of(measured, one.metric) = true;
  return measured;
}

bool have_common(const MetricFlags& a, const MetricFlags& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] && b[i]) return true;
  return false;
}

double keep_better(RankRecord& record, const RankRecord& again) {
  double gain = 0;
  const auto improve = [&](Metric metric, double& first, double second) {
    const double before = badness(metric, first), after = badness(metric, second);
    if (after >= before) return;
    gain = std::max(gain, (before - after) / std::abs(before));
    first = second;
  };
  for (const Measurement& second : again.measurements) {
    if (info(second.metric).better == Better::Neither) continue;
    for (Measurement& first : record.measurements) {
      if (first.metric != second.metric || first.peer != second.peer) continue;
      const double worst = first.worst == 0 ? first.value : first.worst;
      first.worst =
          badness(first.metric, second.value) > badness(first.metric, worst) ? second.value : worst;
      if (first.metric != Metric::HostDgemm || again.core_gflops.empty()) {
        improve(first.metric, first.value, second.value);
        continue;
      }
      for (std::size_t core = 0; core < again.core_gflops.size(); ++core)
        improve(first.metric, record.core_gflops.at(core), again.core_gflops[core]);
      first.value = mean(record.core_gflops);
    }
  }
  std::ranges::copy(again.failed, std::back_inserter(record.failed));
  return gain;
}

bool Patience::goes_on(double seconds, double gain) {
  if (gain > least_gain_) last_gain_ = seconds;
  return seconds < longest_ && seconds - last_gain_ < std::max(shortest_, seconds / 2);
}

}  // namespace hpl
