#pragma once

#include <cstdlib>
#include <initializer_list>

namespace hpl::test {

/// The rank of this process before MPI can tell it, by Open MPI's launcher or MPICH's; 0 without
/// one.
inline int rank_of_launcher() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* const rank = std::getenv(name)) return std::atoi(rank);
  return 0;
}

}  // namespace hpl::test
