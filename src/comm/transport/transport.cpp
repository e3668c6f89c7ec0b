#include "hpl/comm/transport/transport.h"

#include "hpl/base/error/error.h"

namespace hpl {

std::unique_ptr<Transfer> Transport::begin_broadcast(hpcx::StreamRef, std::span<std::byte>, int) {
  HPL_ASSERT(!"a transport with a broadcast of its own");
  return nullptr;
}

}  // namespace hpl
