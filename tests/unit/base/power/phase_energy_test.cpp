#include "hpl/base/power/run_power.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

double joules_of(const std::vector<double>& joules, Phase phase) {
  return joules[static_cast<std::size_t>(phase)];
}

/// 100 W, sampled every tenth of a second from 9 to 21 s.
PowerSeries steady() {
  PowerSeries samples;
  for (int i = 0; i <= 120; ++i)
    samples.push_back({9 + 0.1 * i, 100});
  return samples;
}

TEST(PhaseEnergy, IsPowerOverTheTimeOfItsWork) {
  const std::vector<Span> spans{
      {.track = Track::UpdateStream, .phase = Phase::Multiply, .begin = 0, .end = 2.25},
      {.track = Track::UpdateStream, .phase = Phase::Multiply, .begin = 4, .end = 5},
      {.track = Track::PanelWorker, .phase = Phase::PanelBroadcast, .begin = 1, .end = 3}};
  const auto joules = phase_energies(steady(), 10, spans);
  EXPECT_NEAR(joules_of(joules, Phase::Multiply), 325, 1e-9);
  EXPECT_NEAR(joules_of(joules, Phase::PanelBroadcast), 200, 1e-9);
  EXPECT_EQ(joules_of(joules, Phase::RowSwap), 0);
}

TEST(PhaseEnergy, CountsWorkAtTheSameTimeOnce) {
  const std::vector<Span> spans{
      {.track = Track::UpdateStream, .phase = Phase::Multiply, .begin = 3, .end = 4},
      {.track = Track::SwapStream, .phase = Phase::Multiply, .begin = 1, .end = 3.5},
      {.track = Track::SwapStream, .phase = Phase::Multiply, .begin = 2, .end = 3}};
  EXPECT_NEAR(joules_of(phase_energies(steady(), 10, spans), Phase::Multiply), 300, 1e-9);
}

TEST(PhaseEnergy, OfAWorkerThatSetsAStreamGoingIsNone) {
  const std::vector<Span> spans{
      {.track = Track::UpdateWorker, .phase = Phase::Multiply, .begin = 0, .end = 5}};
  EXPECT_EQ(joules_of(phase_energies(steady(), 10, spans), Phase::Multiply), 0);
}

}  // namespace
}  // namespace hpl
