#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/error.h"
#include "hpcx/interconnect.h"
#include "hpl/comm/mpi/communicator.h"

namespace hpl {

/// Why the device refuses what `action` asks of it; empty where it does not.
template <class Action>
std::string reason_of(Action&& action) {
  try {
    action();
  } catch (const hpcx::Error& error) {
    return error.what();
  }
  return {};
}

/// Throws hpcx::Error with the same text on all ranks where one of them has a reason. Collective.
void refuse_together(const mpi::Communicator& comm, const std::string& local_reason);

/// The other ranks' buffers in this device's address space: by rank, empty for this one and where
/// there is none. Collective over ranks of one node; throws as refuse_together() does. A buffer
/// must outlive what others map of it.
std::vector<hpcx::Buffer> map_buffers(const mpi::Communicator& node,
                                      hpcx::Interconnect& interconnect, const hpcx::Buffer& own);

/// A piece of device memory on each rank of a node, which all of them map.
class PeerMemory {
 public:
  /// `bytes` on each rank. Only trying shows whether the system lets one process map another's
  /// memory. Collective over `node`, which must outlive this; so is the destructor.
  PeerMemory(hpcx::Device& device, const mpi::Communicator& node, std::size_t bytes);
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  /// Why memory is not mapped, in words, the same on all ranks; empty when it is.
  const std::string& refusal() const { return refusal_; }
  const hpcx::Buffer& own() const { return own_; }
  /// Another rank's, in this device's address space.
  const hpcx::Buffer& of(int rank) const { return mapped_[rank]; }

 private:
  const mpi::Communicator& node_;
  std::string refusal_;
  hpcx::Buffer own_;
  std::vector<hpcx::Buffer> mapped_;  // by rank, empty for this one
};

}  // namespace hpl
