#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hpcx/backend.h"
#include "hpcx/blas.h"
#include "hpcx/emulation.h"
#include "hpcx/interconnect.h"
#include "hpcx/kernels.h"
#include "hpcx/memory.h"
#include "hpcx/panel.h"
#include "hpcx/stream.h"
#include "hpcx/telemetry.h"

namespace hpcx {

class MixedPrecision;

struct DeviceProperties {
  Backend backend = Backend::Cpu;
  int index = 0;            ///< among the devices of its back end
  std::string name;         ///< marketing name
  int compute_units = 1;    ///< multiprocessors, or compute threads of the CPU device
  int flops_per_cycle = 0;  ///< FP64, of a unit, tensor or matrix cores included; 0: unknown
  int int8_per_cycle = 0;   ///< operations of products by INT8, of a unit; 0: unknown
  std::string bus_address;  ///< on the host's PCI bus, "0000:1b:00.0"; empty for the host itself
  std::string uuid;         ///< differs between the slices of a GPU (MIG); empty where unknown
  std::string description;  ///< library and driver versions, one line
};

/// Times of the start with a device. Seconds; 0: there is no such step.
struct StartTimes {
  double context = 0;           ///< the driver's state for this process
  double modules = 0;           ///< the code of all kernels, where it is loaded by itself
  double first_allocation = 0;  ///< of device memory
};

/// Ends with its life what Device::compute_here() began.
class ComputeLease {
 public:
  virtual ~ComputeLease() = default;
};

/// One device with its own memory and streams. Thread-safe; a stream is used by one thread at a
/// time.
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceProperties& properties() const = 0;
  virtual MemoryInfo memory() const = 0;
  /// Device pointers are ordinary host pointers: nothing needs staging, host code may work in
  /// place.
  virtual bool shares_host_memory() const = 0;

  /// Device memory, at least 256-byte aligned, contents undefined. Throws OutOfMemory.
  virtual Buffer allocate(std::size_t bytes) = 0;
  /// Host memory the device copies from and to at full speed. Throws OutOfMemory.
  virtual Buffer allocate_pinned(std::size_t bytes) = 0;
  /// Pins memory that somebody else allocated, as long as the handle lives, so that all devices of
  /// the back end copy from and to it at full speed and beside their computing. The memory must
  /// outlive the handle; pinned ranges share no page. A copy, from its first byte to its last, lies
  /// inside one pinned range or touches none: drivers refuse one that reaches over a border, even
  /// into a neighbour that is pinned too. Throws Error with the reason. Where host and device share
  /// memory there is nothing to do.
  virtual HostRegistration register_host(void* data, std::size_t bytes) = 0;
  virtual Stream create_stream(Priority priority) = 0;
  /// A stream for copies and host tasks alone, which takes no device memory for itself.
  virtual Stream create_copy_stream() { return create_stream(Priority::Normal); }
  /// Device memory that each other stream takes for itself: the workspace of its BLAS.
  virtual std::int64_t stream_bytes() const { return 0; }
  /// Bytes that its streams were asked to copy between host and device so far; none if these share
  /// memory.
  virtual CopiedBytes copied() const { return {}; }
  /// Everything enqueued in every stream is done; throws what failed.
  virtual void synchronize() = 0;

  /// Runs `body(0) ... body(count - 1)` on the host, possibly in several threads at once, and
  /// returns when all are done. For use inside a host_task: the calling thread takes part, so that
  /// progress never depends on other threads being free.
  virtual void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) = 0;

  /// Until the lease ends, in the same thread, the calling thread stands in for one of the device's
  /// own compute threads: it runs what is enqueued whenever it waits for the device. For a thread
  /// that does nothing but enqueue and wait: its core then changes hands for no operation. One
  /// lease at a time, never inside a host_task. Others may wait meanwhile, but a device of one
  /// thread computes only while the holder waits. Null where the host does not compute.
  virtual std::unique_ptr<ComputeLease> compute_here() { return nullptr; }

  virtual Blas& blas() = 0;
  virtual Kernels& kernels() = 0;
  /// FP64 products by integer units; null where there are none.
  virtual Emulation* emulation() { return nullptr; }
  /// The operations of HPL-MxP; null where there are none.
  virtual MixedPrecision* mixed_precision() { return nullptr; }
  virtual Telemetry& telemetry() = 0;
  /// A solver for panels in this device's memory; null where the host's way is the device's.
  virtual std::unique_ptr<PanelSolver> create_panel_solver(const PanelSolverSpec& spec) = 0;
  /// Device memory that such a solver takes, connected to its team; of a team whose groups are not
  /// known yet, at most.
  virtual std::int64_t panel_solver_bytes(const PanelSolverSpec&) const { return 0; }
  virtual StartTimes start_times() const { return {}; }
  /// The way to other devices that goes round the host; null where there is none.
  virtual Interconnect* interconnect() = 0;
};

/// Settings of the CPU device.
struct CpuOptions {
  int threads = 1;  ///< compute threads
  /// Called once in every compute thread, with its number: bind it to its core here.
  std::function<void(int thread)> on_thread_start;
  ResidueElement residue_element = ResidueElement::Int8;  ///< of emulated products
};

struct DeviceChoice {
  Backend backend = Backend::Cpu;
  int index = 0;
  CpuOptions cpu;
};

struct EnvironmentVariable {
  std::string name, value;
};
/// Variables that drivers read when a process first uses them, and their values unless the user has
/// set others. Asks no driver.
std::vector<EnvironmentVariable> wanted_environment();
/// Names of the variables by which users and launchers hide devices from a process.
std::vector<std::string> visibility_variables();

/// The devices of every back end that was built and finds its driver; the CPU device is always
/// there.
std::vector<DeviceProperties> list_devices();
/// Why a back end has no device here, in words; empty when it has one.
std::string why_unavailable(Backend backend);
/// Whether this program holds the back end.
bool is_built(Backend backend);
/// Throws Error with the reason when the device cannot be used.
std::unique_ptr<Device> open_device(const DeviceChoice& choice);

// Memory that devices take, for plans made without one.

/// The packed operands of a product of this size that threads of the CPU device share. An upper
/// bound, reached on processors with AVX-512.
std::int64_t cpu_product_bytes(int threads, std::int64_t rows, std::int64_t columns,
                               std::int64_t depth);

/// Device::panel_solver_bytes() of every GPU.
std::int64_t gpu_panel_solver_bytes(const PanelSolverSpec& spec);

/// Pinned bytes of the host for the messages of a panel solver of every GPU: its outbox and inbox.
/// An upper bound, reached if each member is a group of its own; 0 with one member.
std::int64_t gpu_panel_solver_pinned_bytes(const PanelSolverSpec& spec);

/// Device::stream_bytes() of most GPUs: the workspace of the BLAS, and words of the solves.
inline constexpr std::int64_t kUsualStreamBytes = (std::int64_t{32} << 20) + 8 * (8192 + 1);

}  // namespace hpcx
