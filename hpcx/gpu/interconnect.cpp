#include "gpu/interconnect.h"

#include <bit>
#include <cstdlib>
#include <exception>

#include "gpu/check.h"
#include "gpu/stream.h"
#include "hpcx/error.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

const char* library_name() {
  const char* name = std::getenv("HPL_NCCL_LIBRARY");
  return name != nullptr && *name != '\0' ? name : HPCX_GPU_COLLECTIVES;
}

/// Collects messages that the library carries out as one operation. Ends the group also when a
/// call in it has failed: the library would take all later calls for its continuation.
class MessageGroup {
 public:
  explicit MessageGroup(const NcclLibrary& nccl) : nccl_(nccl) {
    nccl_.check(nccl_.group_start(), "ncclGroupStart");
  }
  ~MessageGroup() {
    if (open_) static_cast<void>(nccl_.group_end());
  }
  MessageGroup(const MessageGroup&) = delete;
  MessageGroup& operator=(const MessageGroup&) = delete;

  void launch() {
    open_ = false;
    nccl_.check(nccl_.group_end(), "ncclGroupEnd");
  }

 private:
  const NcclLibrary& nccl_;
  bool open_ = true;
};

class NcclGroup final : public DeviceGroup {
 public:
  NcclGroup(const NcclLibrary& nccl, OpenCommunicators& open, NcclComm comm)
      : nccl_(nccl), open_(open), comm_(comm) {
    open_.add(comm_);
  }
  /// A group that an exception leaves waits for no other member.
  ~NcclGroup() override {
    open_.remove(comm_);
    static_cast<void>(std::uncaught_exceptions() > 0 ? nccl_.comm_abort(comm_)
                                                     : nccl_.comm_destroy(comm_));
  }
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  void exchange(StreamRef stream, std::span<const DeviceMessage> messages) override {
    activate(stream);
    MessageGroup group(nccl_);
    for (const DeviceMessage& message : messages) {
      if (message.direction == DeviceMessage::Direction::Send)
        nccl_.check(nccl_.send(message.data, message.bytes, NcclLibrary::kInt8, message.peer, comm_,
                               native(stream)),
                    "ncclSend");
      else
        nccl_.check(nccl_.recv(message.data, message.bytes, NcclLibrary::kInt8, message.peer, comm_,
                               native(stream)),
                    "ncclRecv");
    }
    group.launch();
  }

  void broadcast(StreamRef stream, void* data, std::size_t bytes, int root) override {
    activate(stream);
    nccl_.check(nccl_.broadcast(data, data, bytes, NcclLibrary::kInt8, root, comm_, native(stream)),
                "ncclBroadcast");
  }

 private:
  const NcclLibrary& nccl_;
  OpenCommunicators& open_;
  NcclComm comm_;
};

/// Made here or opened: the runtime treats both alike.
class IpcEvent final : public SharedEvent {
 public:
  IpcEvent(int device_index, gpuEvent_t event) : device_index_(device_index), event_(event) {}
  ~IpcEvent() override {
    static_cast<void>(gpuSetDevice(device_index_));
    static_cast<void>(gpuEventDestroy(event_));
  }
  IpcEvent(const IpcEvent&) = delete;
  IpcEvent& operator=(const IpcEvent&) = delete;

  void record(StreamRef stream) override {
    HPCX_CHECK(gpuEventRecord(event_, activate(stream).native()));
  }
  void wait(StreamRef stream) override {
    HPCX_CHECK(gpuStreamWaitEvent(activate(stream).native(), event_, 0));
  }

 private:
  int device_index_;
  gpuEvent_t event_;
};

}  // namespace

NcclLibrary::NcclLibrary() : library_(library_name()) {
  if (!library_.loaded()) {
    why_unusable_ = std::string(library_name()) + " is not installed (not found by the loader)";
    return;
  }
  const auto find = [this]<class Function>(Function*& function, const char* name) {
    function = library_.find<Function>(name);
    if (function == nullptr && why_unusable_.empty())
      why_unusable_ = std::string(library_name()) + " has no " + name;
  };
  find(get_version, "ncclGetVersion");
  find(get_unique_id, "ncclGetUniqueId");
  find(comm_init_rank, "ncclCommInitRank");
  find(comm_abort, "ncclCommAbort");
  find(comm_destroy, "ncclCommDestroy");
  find(get_error_string, "ncclGetErrorString");
  find(group_start, "ncclGroupStart");
  find(group_end, "ncclGroupEnd");
  find(send, "ncclSend");
  find(recv, "ncclRecv");
  find(broadcast, "ncclBroadcast");
  get_last_error = library_.find<const char*(NcclComm)>("ncclGetLastError");
  comm_get_async_error = library_.find<int(NcclComm, int*)>("ncclCommGetAsyncError");
}

std::string NcclLibrary::version_text() const {
  int version = 0;
  if (!why_unusable_.empty() || get_version(&version) != kSuccess) return {};
  const int major = version >= 10000 ? version / 10000 : version / 1000;
  const int rest = version >= 10000 ? version % 10000 : version % 1000;
  return std::string(HPCX_GPU_COLLECTIVES_NAME " ") + std::to_string(major) + "." +
         std::to_string(rest / 100) + "." + std::to_string(rest % 100);
}

std::string NcclLibrary::words(int status) const {
  std::string reason = get_error_string(status);
  const char* const details = get_last_error == nullptr ? nullptr : get_last_error(nullptr);
  if (details != nullptr && *details != '\0') reason += std::string(": ") + details;
  return reason + " (" + std::to_string(status) + ")";
}

void NcclLibrary::check(int status, const char* call) const {
  if (status != kSuccess) throw Error(std::string(call) + " failed: " + words(status));
}

void OpenCommunicators::add(NcclComm comm) {
  const std::lock_guard lock(mutex_);
  open_.push_back(comm);
}

void OpenCommunicators::remove(NcclComm comm) {
  const std::lock_guard lock(mutex_);
  std::erase(open_, comm);
}

std::string OpenCommunicators::failure(const NcclLibrary& nccl) const {
  if (nccl.comm_get_async_error == nullptr) return {};
  const std::lock_guard lock(mutex_);
  for (NcclComm comm : open_) {
    int status = NcclLibrary::kSuccess;
    if (nccl.comm_get_async_error(comm, &status) == NcclLibrary::kSuccess &&
        status != NcclLibrary::kSuccess && status != NcclLibrary::kInProgress)
      return HPCX_GPU_COLLECTIVES_NAME " reports a failure of the network: " + nccl.words(status);
  }
  return {};
}

GroupId GpuInterconnect::new_group() {
  NcclUniqueId id;
  nccl_.check(nccl_.get_unique_id(&id), "ncclGetUniqueId");
  return std::bit_cast<GroupId>(id);
}

std::unique_ptr<DeviceGroup> GpuInterconnect::join(const GroupId& id, int rank, int size) {
  HPCX_CHECK(gpuSetDevice(device_index_));
  NcclComm comm = nullptr;
  nccl_.check(nccl_.comm_init_rank(&comm, size, std::bit_cast<NcclUniqueId>(id), rank),
              "ncclCommInitRank");
  return std::make_unique<NcclGroup>(nccl_, communicators_, comm);
}

MemoryHandle GpuInterconnect::export_memory(const Buffer& memory) {
  static_assert(sizeof(gpuIpcMemHandle_t) == sizeof(MemoryHandle));
  HPCX_CHECK(gpuSetDevice(device_index_));
  gpuIpcMemHandle_t handle;
  HPCX_CHECK(gpuIpcGetMemHandle(&handle, memory.as<void>()));
  return std::bit_cast<MemoryHandle>(handle);
}

Buffer GpuInterconnect::import_memory(const MemoryHandle& handle) {
  HPCX_CHECK(gpuSetDevice(device_index_));
  void* data = nullptr;
  HPCX_CHECK(gpuIpcOpenMemHandle(&data, std::bit_cast<gpuIpcMemHandle_t>(handle),
                                 gpuIpcMemLazyEnablePeerAccess));
  return Buffer(data, 0,
                [](void* mapped, std::size_t) { static_cast<void>(gpuIpcCloseMemHandle(mapped)); });
}

std::unique_ptr<SharedEvent> GpuInterconnect::create_event(EventHandle& handle) {
  static_assert(sizeof(gpuIpcEventHandle_t) == sizeof(EventHandle));
  HPCX_CHECK(gpuSetDevice(device_index_));
  gpuEvent_t event = nullptr;
  HPCX_CHECK(gpuEventCreateWithFlags(&event, gpuEventInterprocess | gpuEventDisableTiming));
  auto made = std::make_unique<IpcEvent>(device_index_, event);
  gpuIpcEventHandle_t native_handle;
  HPCX_CHECK(gpuIpcGetEventHandle(&native_handle, event));
  handle = std::bit_cast<EventHandle>(native_handle);
  return made;
}

std::unique_ptr<SharedEvent> GpuInterconnect::import_event(const EventHandle& handle) {
  HPCX_CHECK(gpuSetDevice(device_index_));
  gpuEvent_t event = nullptr;
  HPCX_CHECK(gpuIpcOpenEventHandle(&event, std::bit_cast<gpuIpcEventHandle_t>(handle)));
  return std::make_unique<IpcEvent>(device_index_, event);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
