#pragma once

#include <string>
#include <vector>

#include "fleet_units.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/job/setup/machine.h"
#include "hpl/report/result/fleet_report.h"

namespace hpl {

/// What rank 0 is to know of a rank before the rounds: its host and its device, as text. `why_out`:
/// why the rank has no part; empty: it has one.
std::string rank_card(int rank, const Machine& machine, const std::string& why_out);

/// Hosts and units of a fleet, from the cards of all its ranks by rank. Hosts that were expected
/// and have no rank are added. `ranks`: of the job, for the ranks of the division.
void fill_fleet(FleetReport& report, const std::vector<std::string>& cards,
                const FleetDivision& division, const std::vector<int>& ranks,
                const std::vector<std::string>& expected_hosts);

/// A run on its way to other ranks, and back.
std::string spec_text(const RunSpec& spec);
RunSpec read_spec_text(const std::string& text);

/// Rounds on their way to rank 0, and back.
std::string rounds_text(std::vector<FleetRound> rounds);
std::vector<FleetRound> read_rounds(const std::string& text);

/// Memory errors of a device so far; those that arose between two looks.
struct MemoryErrors {
  std::int64_t corrected = -1, uncorrected = -1;  ///< -1: the device does not tell

  static MemoryErrors of(const hpcx::DeviceHealth& health);
  MemoryErrors since(const MemoryErrors& before) const;
};

/// A run as a round of its unit, whose ranks of the job are `ranks`; `errors` by rank of the unit.
FleetRound fleet_round(RunResult result, int round, const std::vector<int>& ranks,
                       const std::vector<MemoryErrors>& errors);

}  // namespace hpl
