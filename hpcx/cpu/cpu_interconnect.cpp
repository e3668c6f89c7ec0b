#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <system_error>

#include "cpu/cpu_device.h"
#include "hpcx/error.h"
#include "hpcx/interconnect.h"

namespace hpcx::cpu {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error("memory cannot be shared between processes: " + what + ": " +
              std::generic_category().message(errno));
}

/// A file without a name: other processes open it by its owner's number and descriptor.
struct SharedFile {
  int process = 0;
  int descriptor = -1;
  std::size_t bytes = 0;
  std::array<std::byte, sizeof(MemoryHandle) - 16> unused{};
};

/// Streams of processors end where hosts wait for them, so a recorded point is a reached one.
class ReachedEvent final : public SharedEvent {
 public:
  void record(StreamRef stream) override { stream.synchronize(); }
  void wait(StreamRef) override {}
};

/// Processes of one host share pages.
class CpuInterconnect final : public Interconnect {
 public:
  std::string library() const override { return {}; }
  std::string why_no_groups() const override { return "the device has no collectives of its own"; }
  GroupId new_group() override { throw Error(why_no_groups()); }
  std::unique_ptr<DeviceGroup> join(const GroupId&, int, int) override {
    throw Error(why_no_groups());
  }

  /// Puts pages of a file in the place of the buffer's own.
  MemoryHandle export_memory(const Buffer& memory) override {
    rlimit limit{};
    // A file longer than the limit would end the process.
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && memory.bytes() > limit.rlim_cur) {
      errno = EFBIG;
      refuse("limit of file sizes");
    }
    SharedFile file{.process = getpid(),
                    .descriptor = memfd_create("xhpl", MFD_CLOEXEC),
                    .bytes = memory.bytes()};
    if (file.descriptor < 0) refuse("memfd_create");
    const auto handle = std::bit_cast<MemoryHandle>(file);
    if (ftruncate(file.descriptor, static_cast<off_t>(file.bytes)) != 0 ||
        mmap(memory.as<void>(), file.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             file.descriptor, 0) == MAP_FAILED) {
      const int reason = errno;
      withdraw(handle);
      errno = reason;
      refuse("mmap");
    }
    return handle;
  }
  void withdraw(const MemoryHandle& handle) override {
    close(std::bit_cast<SharedFile>(handle).descriptor);
  }
  Buffer import_memory(const MemoryHandle& handle) override {
    const auto file = std::bit_cast<SharedFile>(handle);
    const std::string path =
        "/proc/" + std::to_string(file.process) + "/fd/" + std::to_string(file.descriptor);
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) refuse(path);
    // In another container the same number names another process.
    struct stat found {};
    const bool same =
        fstat(descriptor, &found) == 0 && found.st_size == static_cast<off_t>(file.bytes);
    void* const data =
        same ? mmap(nullptr, file.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
             : MAP_FAILED;
    const int reason = same ? errno : ESTALE;
    close(descriptor);
    errno = reason;
    if (data == MAP_FAILED) refuse(path);
    return Buffer(data, file.bytes, [](void* mapped, std::size_t bytes) { munmap(mapped, bytes); });
  }

  std::unique_ptr<SharedEvent> create_event(EventHandle&) override {
    return std::make_unique<ReachedEvent>();
  }
  std::unique_ptr<SharedEvent> import_event(const EventHandle&) override {
    return std::make_unique<ReachedEvent>();
  }
};

}  // namespace

std::unique_ptr<Interconnect> make_interconnect() {
  return std::make_unique<CpuInterconnect>();
}

}  // namespace hpcx::cpu
