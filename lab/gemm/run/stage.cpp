#include "gemm/run/stage.h"

#include <algorithm>

namespace hpl::gemm {

StageTotal total_of(const std::vector<StageSpan>& spans, Stage stage) {
  StageTotal total;
  std::vector<StageSpan> own;
  for (const StageSpan& span : spans)
    if (span.stage == stage) own.push_back(span);
  if (own.empty()) return total;
  std::sort(own.begin(), own.end(),
            [](const StageSpan& a, const StageSpan& b) { return a.begin < b.begin; });
  total.begin = total.end = own.front().begin;
  for (const StageSpan& span : own) {
    total.busy += std::max(0.0, span.end - std::max(span.begin, total.end));
    total.end = std::max(total.end, span.end);
    total.bytes += span.bytes;
    total.flops += span.flops;
  }
  return total;
}

}  // namespace hpl::gemm
