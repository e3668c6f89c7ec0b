#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/job/ranks/machine.h"
#include "hpl/report/result/job_machine.h"

namespace hpl {

class Record;

/// Host and device of one rank, as found before the first run.
struct RankCard {
  JobHost host;
  std::optional<JobDevice> device;  ///< empty: the rank has none
};
void describe(Record& record, RankCard& card);

/// The cards of all ranks, by rank, on rank 0; empty elsewhere. `why_out`: why this rank takes no
/// part; empty: it does. Collective.
std::vector<RankCard> gather_rank_cards(const mpi::Communicator& world, const Machine& machine,
                                        const std::string& why_out);

/// The hosts of the ranks, in the order of their first ranks. Each rank of a processor has its
/// share as a device of its own: the devices are numbered on each host.
std::vector<JobHost> hosts_of(std::vector<RankCard>& cards);

}  // namespace hpl
