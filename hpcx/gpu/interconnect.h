#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/shared_library.h"
#include "hpcx/interconnect.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

struct NcclCommOpaque;
using NcclComm = NcclCommOpaque*;
/// ncclUniqueId, passed by value.
struct NcclUniqueId {
  std::array<char, 128> internal{};
};

/// The few functions of NCCL's stable interface (RCCL has the same) that are used here, declared by
/// hand: the library is loaded at run time, and neither it nor its header need be there.
class NcclLibrary {
 public:
  static constexpr int kSuccess = 0, kInProgress = 7;
  static constexpr int kInt8 = 0;

  /// $HPL_NCCL_LIBRARY, or the vendor's usual name.
  NcclLibrary();

  /// Why it cannot be used; empty when it can.
  const std::string& why_unusable() const { return why_unusable_; }
  std::string version_text() const;
  /// The library's words for a status that is not kSuccess, and for its last failure.
  std::string words(int status) const;
  /// Throws Error with the call and the library's words where status is not kSuccess.
  void check(int status, const char* call) const;

  int (*get_version)(int*) = nullptr;
  int (*get_unique_id)(NcclUniqueId*) = nullptr;
  int (*comm_init_rank)(NcclComm*, int size, NcclUniqueId, int rank) = nullptr;
  int (*comm_abort)(NcclComm) = nullptr;
  int (*comm_destroy)(NcclComm) = nullptr;
  const char* (*get_error_string)(int) = nullptr;
  const char* (*get_last_error)(NcclComm) = nullptr;      ///< may be missing
  int (*comm_get_async_error)(NcclComm, int*) = nullptr;  ///< may be missing
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*send)(const void*, std::size_t, int type, int peer, NcclComm, gpuStream_t) = nullptr;
  int (*recv)(void*, std::size_t, int type, int peer, NcclComm, gpuStream_t) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int type, int root, NcclComm,
                   gpuStream_t) = nullptr;

 private:
  SharedLibrary library_;
  std::string why_unusable_;
};

/// Communicators in use: one thread makes and ends them, another looks after them.
class OpenCommunicators {
 public:
  void add(NcclComm comm);
  void remove(NcclComm comm);
  /// See Interconnect::failure().
  std::string failure(const NcclLibrary& nccl) const;

 private:
  mutable std::mutex mutex_;
  std::vector<NcclComm> open_;
};

/// Peer memory and shared events by the runtime's handles, groups by NCCL or RCCL.
class GpuInterconnect final : public Interconnect {
 public:
  explicit GpuInterconnect(int device_index) : device_index_(device_index) {}

  std::string library() const override { return nccl_.version_text(); }
  std::string why_no_groups() const override { return nccl_.why_unusable(); }
  GroupId new_group() override;
  std::unique_ptr<DeviceGroup> join(const GroupId& id, int rank, int size) override;
  std::string failure() const override { return communicators_.failure(nccl_); }
  MemoryHandle export_memory(const Buffer& memory) override;
  Buffer import_memory(const MemoryHandle& handle) override;
  std::unique_ptr<SharedEvent> create_event(EventHandle& handle) override;
  std::unique_ptr<SharedEvent> import_event(const EventHandle& handle) override;

 private:
  int device_index_;
  NcclLibrary nccl_;
  OpenCommunicators communicators_;
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
