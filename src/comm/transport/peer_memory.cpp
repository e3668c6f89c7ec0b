#include "hpl/comm/transport/peer_memory.h"

#include "hpl/comm/mpi/failure.h"

namespace hpl {

void refuse_together(const mpi::Communicator& comm, const std::string& local_reason) {
  const std::string reason = mpi::common_reason(comm, local_reason);
  if (!reason.empty()) throw hpcx::Error(reason);
}

std::vector<hpcx::Buffer> map_buffers(const mpi::Communicator& node,
                                      hpcx::Interconnect& interconnect, const hpcx::Buffer& own) {
  struct Name {
    std::size_t bytes = 0;
    hpcx::MemoryHandle handle;
  };
  Name name;
  std::string reason = mpi::common_reason(node, reason_of([&] {
                                            if (own.bytes() == 0) return;
                                            name.handle = interconnect.export_memory(own);
                                            name.bytes = own.bytes();
                                          }));
  std::vector<hpcx::Buffer> mapped;
  if (reason.empty()) {
    const std::vector<Name> names = node.all_gather(name);
    mapped.resize(names.size());
    reason =
        mpi::common_reason(node, reason_of([&] {
                             for (std::size_t rank = 0; rank < names.size(); ++rank)
                               if (static_cast<int>(rank) != node.rank() && names[rank].bytes > 0)
                                 mapped[rank] = interconnect.import_memory(names[rank].handle);
                           }));
  }
  if (name.bytes > 0) interconnect.withdraw(name.handle);
  if (!reason.empty()) throw hpcx::Error(reason);
  return mapped;
}

PeerMemory::PeerMemory(hpcx::Device& device, const mpi::Communicator& node, std::size_t bytes)
    : node_(node) {
  hpcx::Interconnect* const interconnect = device.interconnect();
  refusal_ = mpi::common_reason(node, interconnect == nullptr
                                          ? "the device's memory cannot be shared"
                                          : reason_of([&] { own_ = device.allocate(bytes); }));
  if (!refusal_.empty()) return;
  refusal_ = reason_of([&] { mapped_ = map_buffers(node, *interconnect, own_); });
}

PeerMemory::~PeerMemory() {
  mapped_.clear();
  try {
    node_.barrier();  // nobody frees what another maps
  } catch (...) {     // the job ends
  }
}

}  // namespace hpl
