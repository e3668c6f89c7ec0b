#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "hpcx/error.h"
#include "support/forwarding_device.h"

namespace hpl::test {

/// A CPU device in the manner of GPUs whose processes reach each other's memory: allocate() gives
/// memory that others map, and streams wait for events of other processes. A wait occupies a
/// compute thread: it takes one more than there are streams that may wait at once.
class PeerDevice : public ForwardingDevice, private hpcx::Interconnect {
 public:
  explicit PeerDevice(hpcx::Device& device) : ForwardingDevice(device) {}

  /// Messages of others arrive when the stream gets there. The host has nothing to look at before.
  bool shares_host_memory() const override { return false; }
  hpcx::Buffer allocate(std::size_t bytes) override {
    if (bytes == 0) return {};
    const SharedFile file = create(bytes);
    void* const data = map(file.descriptor, bytes);
    const std::lock_guard lock(mutex_);
    files_[data] = file;
    return hpcx::Buffer(data, bytes, [this](void* memory, std::size_t size) {
      munmap(memory, size);
      const std::lock_guard end(mutex_);
      close(files_.at(memory).descriptor);
      files_.erase(memory);
    });
  }
  hpcx::Interconnect* interconnect() override { return this; }

  /// Fails what is asked of the interconnect from now on, as a system that forbids it would.
  void refuse(std::string reason) { refusal_ = std::move(reason); }
  /// Buffers and events of others that are open here.
  int open_handles() const { return *open_; }

 protected:
  std::string library() const override { return {}; }
  std::string why_no_groups() const override { return "the device has no collectives of its own"; }
  hpcx::GroupId new_group() override { return {}; }
  std::unique_ptr<hpcx::DeviceGroup> join(const hpcx::GroupId&, int, int) override { return {}; }

  hpcx::MemoryHandle export_memory(const hpcx::Buffer& memory) override {
    refuse_if_told();
    const std::lock_guard lock(mutex_);
    return std::bit_cast<hpcx::MemoryHandle>(files_.at(memory.as<void>()));
  }
  hpcx::Buffer import_memory(const hpcx::MemoryHandle& handle) override {
    refuse_if_told();
    const auto file = std::bit_cast<SharedFile>(handle);
    ++*open_;
    return hpcx::Buffer(map_of_other(file), file.bytes,
                        [open = open_](void* data, std::size_t bytes) {
                          munmap(data, bytes);
                          --*open;
                        });
  }
  std::unique_ptr<hpcx::SharedEvent> create_event(hpcx::EventHandle& handle) override {
    refuse_if_told();
    const SharedFile file = create(sizeof(Points));
    handle = std::bit_cast<hpcx::EventHandle>(file);
    void* const data = map(file.descriptor, sizeof(Points));
    new (data) Points;
    return std::make_unique<Event>(std::shared_ptr<Points>(
        static_cast<Points*>(data), [descriptor = file.descriptor](Points* points) {
          munmap(points, sizeof(Points));
          close(descriptor);
        }));
  }
  std::unique_ptr<hpcx::SharedEvent> import_event(const hpcx::EventHandle& handle) override {
    refuse_if_told();
    ++*open_;
    return std::make_unique<Event>(std::shared_ptr<Points>(
        static_cast<Points*>(map_of_other(std::bit_cast<SharedFile>(handle))),
        [open = open_](Points* points) {
          munmap(points, sizeof(Points));
          --*open;
        }));
  }

 private:
  /// Memory without a name: others reach it by its owner's number and the descriptor there.
  struct SharedFile {
    int process = 0;
    int descriptor = -1;
    std::size_t bytes = 0;
    std::array<std::byte, 48> unused{};
  };

  /// Counts of an event: its records by hosts, those that its stream has reached, and the one that
  /// was waited for.
  struct Points {
    std::atomic<std::int64_t> recorded = 0, reached = 0, waited = 0;
  };

  class Event final : public hpcx::SharedEvent {
   public:
    explicit Event(std::shared_ptr<Points> points) : points_(std::move(points)) {}
    void record(hpcx::StreamRef stream) override {
      if (points_->waited != points_->recorded)
        throw hpcx::Error("an event moves on before the wait for it is enqueued");
      const std::int64_t point = ++points_->recorded;
      stream.host_task([points = points_, point] { points->reached = point; });
    }
    /// For what is recorded by now, as the runtimes of GPUs do.
    void wait(hpcx::StreamRef stream) override {
      const std::int64_t point = points_->recorded;
      points_->waited = point;
      stream.host_task([points = points_, point] {
        while (points->reached < point)
          std::this_thread::sleep_for(std::chrono::microseconds(20));
      });
    }

   private:
    std::shared_ptr<Points> points_;
  };

  void refuse_if_told() const {
    if (!refusal_.empty()) throw hpcx::Error(refusal_);
  }
  static SharedFile create(std::size_t bytes) {
    const int descriptor = memfd_create("device memory", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(bytes)) != 0)
      throw hpcx::Error("no shared memory");
    return {.process = getpid(), .descriptor = descriptor, .bytes = bytes};
  }
  static void* map(int descriptor, std::size_t bytes) {
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) throw hpcx::Error("shared memory cannot be mapped");
    return data;
  }
  static void* map_of_other(const SharedFile& file) {
    const std::string path =
        "/proc/" + std::to_string(file.process) + "/fd/" + std::to_string(file.descriptor);
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) throw hpcx::Error(path + " cannot be opened");
    void* const data = map(descriptor, file.bytes);
    close(descriptor);
    return data;
  }

  std::mutex mutex_;
  std::map<void*, SharedFile> files_;
  std::string refusal_;
  std::shared_ptr<std::atomic<int>> open_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace hpl::test
