#pragma once

#include <array>
#include <string_view>

#include "hpl/base/choice/choice.h"

namespace hpl {

/// Kind of processor that does the arithmetic; decides defaults.
enum class ProcessorKind { Cpu, Gpu };

/// The memory of the matrix: the device's, or host memory for all that does not fit the device.
/// Auto: host memory only where the device is too small.
enum class MatrixRequest { Device, Host, Auto };

inline constexpr std::array<Choice<MatrixRequest>, 3> kMatrixRequests{{
    {MatrixRequest::Device, "device"},
    {MatrixRequest::Host, "host"},
    {MatrixRequest::Auto, "auto"},
}};

/// The ways to carry out a schedule.
enum class PipelineKind {
  Fine,    ///< four workers: what can overlap does
  Coarse,  ///< one thread: the next panel beside the update of the tail
  Serial   ///< one thread, one task after another
};

inline constexpr std::array<Choice<PipelineKind>, 3> kPipelineKinds{{
    {PipelineKind::Fine, "fine"},
    {PipelineKind::Coarse, "coarse"},
    {PipelineKind::Serial, "serial"},
}};

inline std::string_view to_string(PipelineKind kind) {
  return name_of(kPipelineKinds, kind);
}

/// The ways of device memory from rank to rank.
enum class TransportKind {
  Nccl,       ///< the devices' own collectives (NCCL, RCCL)
  Peer,       ///< out of each other's mapped memory: by copy engines, or by processors
  MpiDevice,  ///< MPI is given the addresses of device memory
  MpiHost     ///< through pinned host memory, in pieces
};

/// In the order in which they are tried.
inline constexpr std::array<Choice<TransportKind>, 4> kTransports{{
    {TransportKind::Peer, "peer"},
    {TransportKind::Nccl, "nccl", "rccl"},
    {TransportKind::MpiDevice, "mpi-device"},
    {TransportKind::MpiHost, "mpi-host"},
}};

inline std::string_view to_string(TransportKind kind) {
  return name_of(kTransports, kind);
}

/// The part of a fleet that solves a system of its own (`xhpl fleet MEMBER`).
enum class FleetMemberKind {
  Device,  ///< every rank with its device
  Node,
  Pair,  ///< two neighbouring nodes
};
inline constexpr std::array<Choice<FleetMemberKind>, 3> kFleetMemberKinds{{
    {FleetMemberKind::Device, "device"},
    {FleetMemberKind::Node, "node"},
    {FleetMemberKind::Pair, "pair"},
}};

/// The search of `xhpl tune` for NB and the settings tuned together with it (--method).
enum class TuneMethod {
  Halving,  ///< many short trials; the best third goes on to trials three times as long
  Local32,  ///< NB in steps of 32: two points on each side of the best, the worse side is dropped
  Local64   ///< NB in steps of 64: to the better neighbour, as long as there is one
};

inline constexpr std::array<Choice<TuneMethod>, 3> kTuneMethods{{
    {TuneMethod::Halving, "halving"},
    {TuneMethod::Local32, "local32"},
    {TuneMethod::Local64, "local64"},
}};

}  // namespace hpl
