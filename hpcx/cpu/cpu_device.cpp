#include "cpu/cpu_device.h"

#include <fstream>

#include "cpu/packed_product.h"
#include "hpcx/error.h"
#include "memory/line_blocks.h"
#include "registry.h"

namespace hpcx::cpu {

namespace {

class CpuStream final : public StreamState {
 public:
  CpuStream(Device& device, Scheduler& scheduler, Priority priority)
      : device_(device), scheduler_(scheduler), queue_(scheduler.add_queue(priority)) {}
  ~CpuStream() override { scheduler_.remove_queue(queue_); }

  Device& device() const override { return device_; }
  Event record() override { return Event(scheduler_.record(queue_)); }
  void wait(const Event& event) override {
    auto point = std::dynamic_pointer_cast<CpuEvent>(event.shared_state());
    HPCX_ASSERT(point != nullptr);
    if (!point->done()) scheduler_.enqueue(queue_, {.waited_for = std::move(point)});
  }
  void synchronize() override { record().synchronize(); }
  void copy_2d(const StridedCopy& lines) override {
    if (lines.width == 0 || lines.height == 0) return;
    HPCX_ASSERT(lines.height == 1 ||
                (lines.source_pitch >= lines.width && lines.destination_pitch >= lines.width));
    const LineBlocks blocks(lines);
    launch(blocks.count(), [blocks](std::int64_t block) { blocks.copy(block); });
  }
  void host_task(std::function<void()> task) override {
    launch(1, [task = std::move(task)](std::int64_t) { task(); });
  }
  void launch(std::int64_t blocks, std::function<void(std::int64_t)> body) {
    if (blocks > 0) scheduler_.enqueue(queue_, {.blocks = blocks, .body = std::move(body)});
  }
  int threads() const { return scheduler_.threads(); }
  std::shared_ptr<const Buffer> workspace(std::size_t bytes) {
    if (workspace_->bytes() < bytes)
      workspace_ = std::make_shared<const Buffer>(cpu::allocate(bytes));
    return workspace_;
  }

 private:
  Device& device_;
  Scheduler& scheduler_;
  OperationQueue& queue_;
  std::shared_ptr<const Buffer> workspace_ = std::make_shared<const Buffer>();
};

class JoinedThread final : public ComputeLease {
 public:
  explicit JoinedThread(Scheduler& scheduler) : scheduler_(scheduler) { scheduler_.join(); }
  ~JoinedThread() override { scheduler_.leave(); }

 private:
  Scheduler& scheduler_;
};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "CPU";
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(const CpuOptions& options)
      : properties_{.backend = Backend::Cpu,
                    .name = processor_name(),
                    .compute_units = options.threads,
                    .description = packs(options.threads)
                                       ? "host threads, products packed for AVX-512, BLAS"
                                       : "host threads and BLAS"},
        blas_(make_blas(packs(options.threads))),
        emulation_(make_emulation(options.residue_element)),
        scheduler_(options.threads, options.on_thread_start) {}

  const DeviceProperties& properties() const override { return properties_; }
  MemoryInfo memory() const override { return memory_info(); }
  bool shares_host_memory() const override { return true; }
  Buffer allocate(std::size_t bytes) override { return cpu::allocate(bytes); }
  Buffer allocate_pinned(std::size_t bytes) override { return cpu::allocate(bytes); }
  HostRegistration register_host(void* data, std::size_t bytes) override {
    return {data, bytes, [](void*, std::size_t) {}};
  }
  Stream create_stream(Priority priority) override {
    return Stream(std::make_unique<CpuStream>(*this, scheduler_, priority));
  }
  void synchronize() override { scheduler_.wait_until_idle(); }
  void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) override {
    scheduler_.parallel_for(count, body);
  }
  std::unique_ptr<ComputeLease> compute_here() override {
    return std::make_unique<JoinedThread>(scheduler_);
  }
  Blas& blas() override { return *blas_; }
  Kernels& kernels() override { return *kernels_; }
  Emulation* emulation() override { return emulation_.get(); }
  MixedPrecision* mixed_precision() override { return mixed_precision_.get(); }
  Telemetry& telemetry() override { return *telemetry_; }
  std::unique_ptr<PanelSolver> create_panel_solver(const PanelSolverSpec&) override {
    return nullptr;
  }
  Interconnect* interconnect() override { return interconnect_.get(); }

 private:
  DeviceProperties properties_;
  std::unique_ptr<Blas> blas_;
  std::unique_ptr<Interconnect> interconnect_ = make_interconnect();
  std::unique_ptr<Kernels> kernels_ = make_kernels();
  std::unique_ptr<Emulation> emulation_;
  std::unique_ptr<MixedPrecision> mixed_precision_ = make_mixed_precision();
  std::unique_ptr<Telemetry> telemetry_ = make_telemetry();
  Scheduler scheduler_;  // last: its threads stop before anything they use goes
};

}  // namespace

void launch(StreamRef stream, std::int64_t blocks, std::function<void(std::int64_t)> body) {
  static_cast<CpuStream&>(stream.state()).launch(blocks, std::move(body));
}

int thread_count(StreamRef stream) {
  return static_cast<CpuStream&>(stream.state()).threads();
}

std::shared_ptr<const Buffer> workspace(StreamRef stream, std::int64_t bytes) {
  return static_cast<CpuStream&>(stream.state()).workspace(static_cast<std::size_t>(bytes));
}

}  // namespace hpcx::cpu

namespace hpcx {

const BackendEntry& cpu_backend() {
  static const BackendEntry kEntry{
      .backend = Backend::Cpu,
      .list =
          [] {
            return std::vector{DeviceProperties{.backend = Backend::Cpu,
                                                .name = cpu::processor_name(),
                                                .description = "host threads and BLAS"}};
          },
      .why_unavailable = [] { return std::string(); },
      .open = [](const DeviceChoice& choice) -> std::unique_ptr<Device> {
        return std::make_unique<cpu::CpuDevice>(choice.cpu);
      },
  };
  return kEntry;
}

}  // namespace hpcx
