// A back end as hpcx/README.md tells to add one: a device of memory that the host cannot read, with
// a thread for each of its streams. It is slow, and complete.

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "hpcx/device.h"
#include "hpcx/error.h"
#include "hpcx/thread.h"
#include "memory/locked_memory.h"
#include "registry.h"
#include "toy_groups.h"
#include "toy_memory.h"
#include "toy_operations.h"

namespace hpcx::toy {

namespace {

/// Shared by the streams of a device: the amount of open work, and the first failure. From a
/// failure on nothing runs, and every wait reports it.
class Progress {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    ++open_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--open_ == 0) idle_.notify_all();
  }
  void wait_until_idle() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return open_ == 0; });
  }
  void run(const std::function<void()>& work) {
    if (happened()) return;
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void tell() const {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool happened() const {
    const std::lock_guard lock(mutex_);
    return error_ != nullptr;
  }

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::int64_t open_ = 0;
  std::exception_ptr error_;
};

class ToyEvent final : public EventState {
 public:
  explicit ToyEvent(const Progress& progress) : progress_(progress) {}

  void reach() {
    const std::lock_guard lock(mutex_);
    when_ = std::chrono::steady_clock::now();
    done_ = true;
    reached_.notify_all();
  }
  /// For streams, which pass over what failed.
  void wait() {
    std::unique_lock lock(mutex_);
    reached_.wait(lock, [this] { return done_; });
  }
  bool done() const override {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  void synchronize() override {
    wait();
    progress_.tell();
  }
  double seconds_since(const EventState& earlier) const override {
    return std::chrono::duration<double>(when_ - static_cast<const ToyEvent&>(earlier).when_)
        .count();
  }

 private:
  const Progress& progress_;
  mutable std::mutex mutex_;
  std::condition_variable reached_;
  bool done_ = false;
  std::chrono::steady_clock::time_point when_;
};

CopyCounter::Memory memory_of(const void* address) {
  return real(address) == address ? CopyCounter::Memory::Host : CopyCounter::Memory::Device;
}

class ToyStream final : public StreamState {
 public:
  ToyStream(Device& device, Progress& progress, CopyCounter& copies)
      : device_(device),
        progress_(progress),
        copies_(copies),
        thread_(start_thread("a stream of the toy", [this] { serve(); })) {}
  /// Enqueued work still runs.
  ~ToyStream() override {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }

  void enqueue(std::function<void()> work) {
    progress_.begin();
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
    changed_.notify_all();
  }

  Device& device() const override { return device_; }
  Event record() override {
    const auto event = std::make_shared<ToyEvent>(progress_);
    enqueue([event] { event->reach(); });
    return Event(event);
  }
  void wait(const Event& event) override {
    enqueue([state = std::dynamic_pointer_cast<ToyEvent>(event.shared_state())] { state->wait(); });
  }
  void synchronize() override { record().synchronize(); }
  void copy_2d(const StridedCopy& lines) override {
    copies_.add(memory_of(lines.destination), memory_of(lines.source), lines.width * lines.height);
    host_task([=] {
      for (std::size_t line = 0; lines.width > 0 && line < lines.height; ++line)
        std::memcpy(
            real(static_cast<std::byte*>(lines.destination)) + line * lines.destination_pitch,
            real(static_cast<const std::byte*>(lines.source)) + line * lines.source_pitch,
            lines.width);
    });
  }
  void host_task(std::function<void()> task) override {
    enqueue([this, task = std::move(task)] { progress_.run(task); });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
      if (work_.empty()) return;
      const std::function<void()> next = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      next();
      progress_.end();
      lock.lock();
    }
  }

  Device& device_;
  Progress& progress_;
  CopyCounter& copies_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool ending_ = false;
  std::jthread thread_;  // last: it uses the rest
};

class NoSensors final : public Telemetry {
 public:
  TelemetrySample sample() override { return {}; }
  DeviceHealth health() override { return {.pci_address = "0000:00:00.0"}; }
};

constexpr std::int64_t kMemoryBytes = std::int64_t{32} << 30;

Buffer allocate_host(std::size_t bytes, std::uintptr_t mark, Buffer::Free free) {
  if (bytes == 0) return {};
  constexpr std::size_t kAlignment = 256;
  void* const data =
      bytes > kMemoryBytes
          ? nullptr
          : std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (data == nullptr)
    throw OutOfMemory("the toy has no " + std::to_string(bytes) + " bytes of memory left");
  return {std::bit_cast<void*>(std::bit_cast<std::uintptr_t>(data) | mark), bytes, free};
}

DeviceProperties properties_of() {
  return {.backend = Backend::Toy, .name = "Toy", .description = "threads of the host"};
}

class ToyDevice final : public Device {
 public:
  const DeviceProperties& properties() const override { return properties_; }
  MemoryInfo memory() const override {
    return {kMemoryBytes, kMemoryBytes - (interconnect_ ? interconnect_->bytes() : 0)};
  }
  bool shares_host_memory() const override { return false; }
  Buffer allocate(std::size_t bytes) override {
    return allocate_host(bytes, kMark, [](void* data, std::size_t) { std::free(real(data)); });
  }
  Buffer allocate_pinned(std::size_t bytes) override {
    return allocate_host(bytes, 0, [](void* data, std::size_t) { std::free(data); });
  }
  /// As a driver that holds to the system's limit would, where a test asks for one.
  HostRegistration register_host(void* data, std::size_t bytes) override {
    if (std::getenv("TOY_REFUSES_TO_PIN") != nullptr)
      throw Error(std::to_string(bytes) + " bytes of host memory cannot be pinned for the toy" +
                  locked_memory_advice());
    return {data, bytes, [](void*, std::size_t) {}};
  }
  Stream create_stream(Priority) override {
    return Stream(std::make_unique<ToyStream>(*this, progress_, copies_));
  }
  CopiedBytes copied() const override { return copies_.total(); }
  void synchronize() override {
    progress_.wait_until_idle();
    progress_.tell();
  }
  void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) override {
    for (std::int64_t i = 0; i < count; ++i)
      body(i);
  }
  Blas& blas() override { return *blas_; }
  Kernels& kernels() override { return *kernels_; }
  Telemetry& telemetry() override { return telemetry_; }
  std::unique_ptr<PanelSolver> create_panel_solver(const PanelSolverSpec&) override {
    return nullptr;
  }
  Interconnect* interconnect() override { return interconnect_.get(); }

 private:
  DeviceProperties properties_ = properties_of();
  Progress progress_;
  CopyCounter copies_;
  std::unique_ptr<Blas> blas_ = make_blas();
  std::unique_ptr<Kernels> kernels_ = make_kernels();
  NoSensors telemetry_;
  std::unique_ptr<ToyInterconnect> interconnect_ = make_interconnect();
};

}  // namespace

void enqueue(StreamRef stream, std::function<void()> work) {
  stream.host_task(std::move(work));
}

}  // namespace hpcx::toy

namespace hpcx {

const BackendEntry& toy_backend() {
  static const BackendEntry kEntry{
      .backend = Backend::Toy,
      .list = [] { return std::vector{toy::properties_of()}; },
      .why_unavailable = [] { return std::string(); },
      .open = [](const DeviceChoice& choice) -> std::unique_ptr<Device> {
        if (choice.index != 0)
          throw Error("there is no toy device " + std::to_string(choice.index) + ": there is one");
        return std::make_unique<toy::ToyDevice>();
      }};
  return kEntry;
}

}  // namespace hpcx
