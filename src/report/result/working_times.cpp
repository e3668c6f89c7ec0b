#include "hpl/report/result/working_times.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

namespace hpl {

bool counts(const Span& span) {
  return is_stream(span.track) || !is_work_of_a_stream(span.phase);
}

namespace {

/// Those of a phase in the order in which they began.
std::vector<const Span*> of_phase(std::span<const Span> spans, Phase phase) {
  std::vector<const Span*> found;
  for (const Span& span : spans)
    if (span.phase == phase && counts(span)) found.push_back(&span);
  std::ranges::stable_sort(found, {}, &Span::begin);
  return found;
}

std::vector<double> begins_of(const std::vector<const Span*>& spans) {
  std::vector<double> begins;
  for (const Span* span : spans)
    begins.push_back(span->begin);
  return begins;
}

double from_when_all_are_there(const std::vector<const Span*>& spans,
                               const std::vector<double>& begins) {
  double seconds = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const double begin = i < begins.size() ? std::max(begins[i], spans[i]->begin) : spans[i]->begin;
    seconds += std::max(0.0, spans[i]->end - begin);
  }
  return seconds;
}

/// Of a broadcast there are two spans: it is begun, and it arrives.
std::map<std::int64_t, std::vector<const Span*>> broadcasts(std::span<const Span> spans) {
  std::map<std::int64_t, std::vector<const Span*>> by_step;
  for (const Span* span : of_phase(spans, Phase::PanelBroadcast))
    by_step[span->step].push_back(span);
  return by_step;
}

/// Steps whose panel this rank has.
std::set<std::int64_t> own_panels(std::span<const Span> spans) {
  std::set<std::int64_t> steps;
  for (const Span* span : of_phase(spans, Phase::PanelFactorization))
    steps.insert(span->step);
  return steps;
}

}  // namespace

SharedBegins shared_begins(std::span<const Span> spans) {
  SharedBegins begins;
  begins.factorizations = begins_of(of_phase(spans, Phase::PanelFactorization));
  begins.row_swaps = begins_of(of_phase(spans, Phase::RowSwap));
  const std::set<std::int64_t> own = own_panels(spans);
  for (const auto& [step, pieces] : broadcasts(spans))
    begins.broadcasts.push_back(own.contains(step) ? pieces.front()->begin
                                                   : std::numeric_limits<double>::lowest());
  for (const Span* span : of_phase(spans, Phase::BackSubstitution))
    begins.back_substitution = span->begin;
  return begins;
}

PhaseTimes working_times(std::span<const Span> spans, const SharedBegins& begins) {
  PhaseTimes times;
  for (const Span& span : spans)
    if (counts(span)) times[span.phase] += span.end - span.begin;
  times[Phase::PanelFactorization] =
      from_when_all_are_there(of_phase(spans, Phase::PanelFactorization), begins.factorizations);
  times[Phase::RowSwap] =
      from_when_all_are_there(of_phase(spans, Phase::RowSwap), begins.row_swaps);
  times[Phase::BackSubstitution] =
      from_when_all_are_there(of_phase(spans, Phase::BackSubstitution), {begins.back_substitution});
  times[Phase::PanelBroadcast] = 0;
  const std::set<std::int64_t> own = own_panels(spans);
  std::size_t turn = 0;
  for (const auto& [step, pieces] : broadcasts(spans)) {
    const double sent = turn < begins.broadcasts.size() ? begins.broadcasts[turn] : 0;
    ++turn;
    if (!own.contains(step))
      times[Phase::PanelBroadcast] +=
          from_when_all_are_there(pieces, std::vector<double>(pieces.size(), sent));
  }
  return times;
}

}  // namespace hpl
