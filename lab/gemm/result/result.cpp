#include "gemm/result/result.h"

#include <algorithm>

namespace hpl::gemm {

double MachineRates::link() const {
  if (in_both <= 0) return out_both;
  return out_both <= 0 ? in_both : std::min(in_both, out_both);
}

double MachineRates::break_even_depth() const {
  return link() > 0 ? 4 * kernel / link() : 0;
}

double MachineRates::least_seconds(const Shape& shape, const Traffic& least) const {
  double seconds = kernel > 0 ? shape.flops() / kernel : 0;
  const double in = in_both > 0 ? in_both : in_alone;
  if (in > 0) seconds = std::max(seconds, static_cast<double>(least.in()) / in);
  if (out_both > 0) seconds = std::max(seconds, static_cast<double>(least.c_out) / out_both);
  return seconds;
}

double CaseResult::least_seconds(bool loads_c) const {
  return rates.least_seconds(shape, least_traffic(shape, loads_c));
}

bool JobResult::passed() const {
  return std::all_of(cases.begin(), cases.end(), [](const CaseResult& one) {
    return std::all_of(one.variants.begin(), one.variants.end(),
                       [](const VariantResult& variant) { return variant.verdict.passed(); });
  });
}

}  // namespace hpl::gemm
