#pragma once

#include <array>
#include <string_view>

#include "hpl/base/choice/choice.h"

namespace hpl {

/// The ways of device memory from rank to rank.
enum class TransportKind {
  Nccl,       ///< the devices' own collectives (NCCL, RCCL)
  Peer,       ///< out of each other's mapped memory: by copy engines, or by processors
  MpiDevice,  ///< MPI is given the addresses of device memory
  MpiHost     ///< through pinned host memory, in pieces
};

/// In the order in which they are tried.
inline constexpr std::array<Choice<TransportKind>, 4> kTransports{{
    {TransportKind::Nccl, "nccl", "rccl"},
    {TransportKind::Peer, "peer"},
    {TransportKind::MpiDevice, "mpi-device"},
    {TransportKind::MpiHost, "mpi-host"},
}};

inline std::string_view to_string(TransportKind kind) {
  return name_of(kTransports, kind);
}

}  // namespace hpl
