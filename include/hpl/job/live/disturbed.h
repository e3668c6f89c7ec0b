#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/machine/host/processor.h"

namespace hpl {

/// A disturbed measurement is made again this many times. A machine that stays busy has no better
/// one.
inline constexpr int kTimesAgain = 1;

/// Makes `measure`, and again while it was disturbed, at most `times_again` times. `measure`
/// returns on any rank reasons for which it is no measure of the machine. Returns those of its last
/// call. Collective.
std::vector<std::string> measure_undisturbed(
    const mpi::Communicator& ranks, const std::function<std::vector<std::string>()>& measure,
    int times_again = kTimesAgain);

/// Readings of the host's load and of the clock.
struct LoadReadings {
  std::function<ProcessorTime()> used;
  std::function<double()> seconds;

  static LoadReadings of_this_host();
};

/// The same of an action that other processes may disturb: on its processors, or beside GPUs. The
/// reason, with the busiest of the hosts of `neighbours`, is on its rank 0. An action shorter than
/// a second does not tell.
std::vector<std::string> measure_beside_others(
    const mpi::Communicator& ranks, const mpi::Communicator& neighbours, bool on_processors,
    const std::function<void()>& action, int times_again = kTimesAgain,
    const LoadReadings& readings = LoadReadings::of_this_host());

}  // namespace hpl
