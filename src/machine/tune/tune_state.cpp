#include <cmath>

#include "hpl/base/error/error.h"
#include "hpl/machine/tune/tune_search.h"

namespace hpl {

double share_of_level(int level) {
  return std::pow(3.0, -level);
}

std::string_view to_string(TuneVerdict verdict) {
  switch (verdict) {
    case TuneVerdict::Open:
      return "open";
    case TuneVerdict::Kept:
      return "kept";
    case TuneVerdict::Dropped:
      return "dropped";
  }
  HPL_ASSERT(false && "a value outside its enumeration");
}

const TuneTrial* TuneState::longest_trial(const TunePoint& point) const {
  const TuneTrial* longest = nullptr;
  for (const TuneTrial& trial : trials) {
    if (trial.request.panel_alone || trial.request.point != point) continue;
    if (!trial.measured.failure.empty()) continue;
    if (longest == nullptr || trial.request.level <= longest->request.level) longest = &trial;
  }
  return longest;
}

}  // namespace hpl
