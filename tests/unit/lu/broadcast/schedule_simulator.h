#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hpl/comm/mpi/schedule.h"

namespace hpl::test {

/// What a job of schedules did, one entry a rank.
struct Simulation {
  std::string fault;                         ///< empty, or the first thing that went wrong
  std::vector<std::vector<int>> deliveries;  ///< how often each byte was received
  std::vector<std::int64_t> sent;            ///< bytes
};

/// Runs one schedule a rank by the rules of mpi::ScheduleRun with the least helpful MPI there is: a
/// message moves only when both sides have posted it, receives are posted as late as the stages
/// allow, and messages between two ranks match in order. Only `root` knows the `bytes` at the
/// start.
Simulation simulate(const std::vector<mpi::Schedule>& schedules, int root, std::int64_t bytes);

}  // namespace hpl::test
