#pragma once

#include <span>
#include <vector>

#include "hpl/base/result/timeline.h"

namespace hpl {

/// The span is time of its phase. A worker's span of a stream's work is the time to set it going.
bool counts(const Span& span);

/// When a rank began what it does together with others; seconds of its time line. Work of a kind in
/// its order, which is the same on all that take part.
struct SharedBegins {
  std::vector<double> factorizations;  ///< of panels, with the process column
  std::vector<double> row_swaps;       ///< exchanges of rows, with the process column
  /// By step, of the process row: when the process that has the panel began to send it; the least
  /// number there is on the others.
  std::vector<double> broadcasts;
  double back_substitution = 0;  ///< with all
};
SharedBegins shared_begins(std::span<const Span> spans);

/// Seconds per phase as Recorder::totals() has them, less what the rank waited for others to begin,
/// and without the broadcasts of its own panels: they count where they arrive. `begins`: the latest
/// of all that take part.
PhaseTimes working_times(std::span<const Span> spans, const SharedBegins& begins);

}  // namespace hpl
