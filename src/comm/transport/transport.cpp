#include "hpl/comm/transport/transport.h"

#include "hpl/base/error/error.h"

namespace hpl {

std::string_view to_string(TransportKind kind) {
  switch (kind) {
    case TransportKind::MpiHost:
      return "mpi-host";
    case TransportKind::MpiDevice:
      return "mpi-device";
    case TransportKind::Nccl:
      return "nccl";
  }
  return {};
}

std::unique_ptr<Transfer> Transport::begin_broadcast(hpcx::StreamRef, std::span<std::byte>, int) {
  HPL_ASSERT(!"a transport with a broadcast of its own");
  return nullptr;
}

}  // namespace hpl
