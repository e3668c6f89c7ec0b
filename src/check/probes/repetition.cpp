#include "repetition.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "hpl/check/findings/core_products.h"
#include "hpl/check/findings/population.h"

namespace hpl {
namespace {

bool& flag_of(FigureFlags& flags, Figure metric) {
  return flags[static_cast<std::size_t>(metric)];
}

}  // namespace

FigureFlags doubtful_metrics(const CheckReport& report) {
  FigureFlags doubtful{};
  if (shares_cores(report)) return doubtful;
  for (const RankFinding& finding : report.findings)
    if (finding.figure) flag_of(doubtful, *finding.figure) = true;
  for (const MetricSummary& figures : report.summaries)
    if (info(figures.metric).owner == Owner::Processor &&
        info(figures.metric).better == Better::Higher && figures.count >= kFewestPeers &&
        figures.maximum - figures.minimum > report.tolerance * figures.median)
      flag_of(doubtful, figures.metric) = true;
  return doubtful;
}

bool has_crowded_rank(const CheckReport& report) {
  return std::ranges::any_of(report.findings, [&](const RankFinding& finding) {
    const RankRecord& rank = report.ranks[finding.rank];
    return finding.basis == Basis::Disturbed && finding.figure == Figure::HostDgemm &&
           !rank.crowded_cores.empty() && rank.crowded_cores.size() == rank.core_products.size();
  });
}

FigureFlags metrics_of(std::span<const Measurement> measurements) {
  FigureFlags measured{};
  for (const Measurement& one : measurements)
    flag_of(measured, one.metric) = true;
  return measured;
}

bool have_common(const FigureFlags& a, const FigureFlags& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] && b[i]) return true;
  return false;
}

double keep_better(RankRecord& record, const RankRecord& again) {
  double gain = 0;
  for (const Measurement& second : again.measurements) {
    if (info(second.metric).better == Better::Neither) continue;
    for (Measurement& first : record.measurements) {
      if (first.metric != second.metric || first.peer != second.peer) continue;
      const double before = badness(first.metric, first.value);
      const double after = badness(first.metric, second.value);
      if (after >= before) continue;
      gain = std::max(gain, (before - after) / std::abs(before));
      first.value = second.value;
    }
  }
  for (std::size_t i = 0; i < again.core_products.size(); ++i)
    gain = std::max(gain, keep_better(record.core_products.at(i), again.core_products[i]));
  std::ranges::copy(again.failed, std::back_inserter(record.failed));
  return gain;
}

bool Patience::goes_on(double seconds, double gain, bool crowded) {
  if (gain > least_gain_) last_gain_ = seconds;
  return seconds < longest_ && (crowded || seconds - last_gain_ < std::max(shortest_, seconds / 2));
}

}  // namespace hpl
