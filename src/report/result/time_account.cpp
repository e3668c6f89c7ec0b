#include "hpl/report/result/time_account.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "hpl/report/result/run_result.h"
#include "hpl/report/result/working_times.h"

namespace hpl {

namespace {

/// Of phases at the same time the first of these counts: the update waits for it.
constexpr std::array<Phase, kPhaseCount> kFirstCounts{
    Phase::Multiply,         Phase::HostUpdate,         Phase::Solve,         Phase::RowSwap,
    Phase::BackSubstitution, Phase::PanelFactorization, Phase::PanelExchange, Phase::PanelBroadcast,
    Phase::PanelTransfer,    Phase::MatrixLoad,         Phase::MatrixStore,   Phase::Refinement};

constexpr std::array<Phase, 4> kPanelPhases{Phase::PanelFactorization, Phase::PanelExchange,
                                            Phase::PanelBroadcast, Phase::PanelTransfer};

/// A phase that begins (+1) or ends (-1).
struct Change {
  double seconds;
  Phase phase;
  int by;
};

std::vector<Change> changes_of(std::span<const Span> spans, double seconds) {
  std::vector<Change> changes;
  for (const Span& span : spans) {
    const double begin = std::clamp(span.begin, 0.0, seconds);
    const double end = std::clamp(span.end, 0.0, seconds);
    if (!counts(span) || !(begin < end)) continue;
    changes.push_back({begin, span.phase, 1});
    changes.push_back({end, span.phase, -1});
  }
  std::ranges::sort(changes, {}, &Change::seconds);
  return changes;
}

}  // namespace

TimeAccount time_account(std::span<const Span> spans, double seconds) {
  TimeAccount account;
  std::array<int, kPhaseCount> going_on{};
  double now = 0;
  const auto pass_until = [&](double then) {
    const auto first = std::ranges::find_if(
        kFirstCounts, [&](Phase phase) { return going_on[static_cast<std::size_t>(phase)] > 0; });
    (first == kFirstCounts.end() ? account.waiting : account.exposed[*first]) += then - now;
    now = then;
  };
  for (const Change& change : changes_of(spans, seconds)) {
    pass_until(change.seconds);
    going_on[static_cast<std::size_t>(change.phase)] += change.by;
  }
  pass_until(seconds);
  for (const Span& span : spans)
    account.product_flops += span.flops;
  return account;
}

TimeAccount mean_account(std::span<const TimeAccount> ranks) {
  TimeAccount mean;
  const auto count = static_cast<double>(ranks.size());
  for (const TimeAccount& rank : ranks) {
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
      mean.exposed.seconds[phase] += rank.exposed.seconds[phase] / count;
    mean.waiting += rank.waiting / count;
    mean.product_flops += rank.product_flops;
  }
  return mean;
}

std::vector<AccountEntry> account_entries(const RunResult& run) {
  constexpr double kLeastShare = 0.001;
  if (!run.account || !(run.seconds > 0)) return {};
  const TimeAccount& account = *run.account;
  const double products = account.exposed[Phase::Multiply] / run.seconds;
  std::vector<AccountEntry> entries, lost;
  if (run.attainable_gflops.value_or(0) > 0) {
    const double ideal =
        std::min(products, account.product_flops / (*run.attainable_gflops * 1e9) / run.seconds);
    entries.push_back({"products at the attainable rate", ideal});
    lost.push_back({"products below that rate", products - ideal});
  } else {
    entries.push_back({"products", products});
  }
  for (const Choice<Phase>& phase : kPhases)
    if (phase.value != Phase::Multiply)
      lost.push_back(
          {fmt::format("{}, not hidden", phase.name), account.exposed[phase.value] / run.seconds});
  lost.push_back({"waiting", account.waiting / run.seconds});
  std::ranges::stable_sort(lost, std::greater{}, &AccountEntry::share);
  const auto small = std::ranges::find_if(
      lost, [](const AccountEntry& entry) { return entry.share < kLeastShare; });
  const double rest = std::accumulate(
      small, lost.end(), 0.0, [](double sum, const auto& entry) { return sum + entry.share; });
  entries.insert(entries.end(), lost.begin(), small);
  if (rest >= kLeastShare / 2) entries.push_back({"others", rest});
  return entries;
}

double exposed_panel_share(const RunResult& run) {
  if (!run.account || !(run.seconds > 0)) return 0;
  double seconds = 0;
  for (const Phase phase : kPanelPhases)
    seconds += run.account->exposed[phase];
  return seconds / run.seconds;
}

}  // namespace hpl
