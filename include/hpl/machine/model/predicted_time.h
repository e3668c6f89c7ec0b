#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hpl/base/record/record.h"
#include "hpl/base/result/timeline.h"

namespace hpl {

/// The models of a run's time; see docs/model.md.
enum class ModelKind {
  Sampled,   ///< the schedules of the deciding ranks, task by task, in a sample of the steps
  Simulated  ///< every rank's schedule, task by task
};
inline constexpr std::array<Choice<ModelKind>, 2> kModelKinds{
    {{ModelKind::Sampled, "sampled"}, {ModelKind::Simulated, "simulated"}}};
inline std::string_view to_string(ModelKind kind) {
  return name_of(kModelKinds, kind);
}

struct Prediction {
  ModelKind model = ModelKind::Simulated;
  double seconds = 0, gflops = 0;
  std::optional<double> efficiency;     ///< of Rpeak, where that is known
  std::optional<double> energy_joules;  ///< empty: the power is unknown
  /// Seconds of a phase, and those of them in which no product of the tail runs beside it: the mean
  /// over the ranks. Multiply is exposed altogether.
  PhaseTimes busy, exposed;
  double waiting_seconds = 0;  ///< for ranks that are slower or have more to do
  /// By rank of the grid: seconds of a phase from when all that take part are there. Empty where
  /// not all ranks were played.
  std::vector<PhaseTimes> rank_busy;
};

/// The rate with a smaller N.
struct RatePoint {
  std::int64_t order = 0;
  double gflops = 0;
};
void describe(Record& record, RatePoint& point);

}  // namespace hpl
