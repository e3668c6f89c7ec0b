#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpl::campaign {

// Words of xhpl and of launchers in the output of a job, where its document says nothing.

/// The lines that say why the job ended, three at most: of xhpl, otherwise of ssh or srun, of
/// mpirun, or the last.
std::vector<std::string> last_words(std::string_view output);

/// The hosts of a broken job that its output blames: first those that gave no answer, otherwise
/// those that messages of failure name. Empty: none, or all of `hosts`.
std::vector<std::string> blamed_hosts(std::string_view output, std::span<const std::string> hosts);

/// The first words of xhpl, Open MPI, MPICH or Slurm that name this dead rank and its host.
std::string dead_rank(std::string_view output, int rank);

/// "yes: 8 of 16 connections by network" where NCCL's records name GPUDirect RDMA; a record that
/// does not name it proves nothing. The kinds of connections follow, a line each.
std::string gpudirect_text(std::string_view records);

}  // namespace hpl::campaign
