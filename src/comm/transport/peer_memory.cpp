#include "hpl/comm/transport/peer_memory.h"

#include "hpcx/error.h"
#include "hpl/comm/mpi/failure.h"

namespace hpl {

namespace {

template <class Action>
std::string reason_of(Action&& action) {
  try {
    action();
  } catch (const hpcx::Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

PeerMemory::PeerMemory(hpcx::Device& device, const mpi::Communicator& node, std::size_t bytes)
    : node_(node) {
  hpcx::Interconnect* const interconnect = device.interconnect();
  hpcx::MemoryHandle handle;
  refusal_ = mpi::common_reason(
      node, interconnect == nullptr ? "the device's memory cannot be shared" : reason_of([&] {
        own_ = device.allocate(bytes);
        handle = interconnect->export_memory(own_);
      }));
  if (!refusal_.empty()) return;
  const std::vector<hpcx::MemoryHandle> handles = node.all_gather(handle);
  mapped_.resize(handles.size());
  refusal_ = mpi::common_reason(node, reason_of([&] {
                                  for (std::size_t rank = 0; rank < handles.size(); ++rank)
                                    if (static_cast<int>(rank) != node.rank())
                                      mapped_[rank] = interconnect->import_memory(handles[rank]);
                                }));
}

PeerMemory::~PeerMemory() {
  mapped_.clear();
  try {
    node_.barrier();  // nobody frees what another maps
  } catch (...) {     // the job ends
  }
}

}  // namespace hpl
