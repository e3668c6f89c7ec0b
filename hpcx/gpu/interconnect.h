#pragma once

#include "gpu/collectives.h"
#include "hpcx/interconnect.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Peer memory and shared events by the runtime's handles, groups by NCCL or RCCL.
class GpuInterconnect final : public Interconnect {
 public:
  explicit GpuInterconnect(int device_index) : device_index_(device_index) {}

  std::string library() const override { return nccl_.version_text(); }
  std::string why_no_groups() const override { return nccl_.why_unusable(); }
  GroupId new_group() override;
  std::unique_ptr<DeviceGroup> join(const GroupId& id, int rank, int size) override;
  MemoryHandle export_memory(const Buffer& memory) override;
  Buffer import_memory(const MemoryHandle& handle) override;
  std::unique_ptr<SharedEvent> create_event(EventHandle& handle) override;
  std::unique_ptr<SharedEvent> import_event(const EventHandle& handle) override;

 private:
  int device_index_;
  NcclLibrary nccl_;
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
