#include "repetition.h"

#include <algorithm>
#include <iterator>

#include "hpl/check/findings/population.h"

namespace hpl {
namespace {

bool& flag_of(MetricFlags& flags, Metric metric) {
  return flags[static_cast<std::size_t>(metric)];
}

}  // namespace

MetricFlags doubtful_metrics(const CheckReport& report) {
  MetricFlags doubtful{};
  for (const Finding& finding : report.findings)
    if (finding.kind == FindingKind::Outlier && finding.metric &&
        (info(*finding.metric).owner == Owner::Processor ||
         report.ranks[finding.rank].device_is_host))
      flag_of(doubtful, *finding.metric) = true;
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

void keep_better(RankRecord& record, const RankRecord& again) {
  for (const Measurement& second : again.measurements) {
    if (info(second.metric).better == Better::Neither) continue;
    for (Measurement& first : record.measurements)
      if (first.metric == second.metric && first.peer == second.peer &&
          badness(first.metric, second.value) < badness(first.metric, first.value))
        first.value = second.value;
  }
  std::ranges::copy(again.failed, std::back_inserter(record.failed));
}

}  // namespace hpl
