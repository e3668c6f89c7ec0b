#include "machine.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "gemm/plan/pieces.h"
#include "hpl/base/error/error.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/machine/host/blas.h"
#include "hpl/machine/host/cgroup.h"
#include "hpl/machine/host/memory.h"
#include "hpl/machine/host/memory_nodes.h"
#include "hpl/machine/host/placement.h"
#include "hpl/machine/host/processor.h"
#include "hpl/machine/host/topology.h"
#include "hpl/machine/host/versions.h"

namespace hpl::gemm {

namespace {

/// Lines begin on cache lines, and not all of them at the same place of a cache.
std::int64_t leading_dimension(std::int64_t rows) {
  return (rows + 15) / 16 * 16 + 16;
}

std::int64_t matrix_bytes(std::int64_t rows, std::int64_t cols) {
  return kElementBytes * leading_dimension(rows) * cols;
}

hpcx::Backend chosen_back_end(const std::optional<hpcx::Backend>& wanted) {
  if (!wanted) return hpcx::list_devices().front().backend;  // by preference
  const std::string reason = hpcx::why_unavailable(*wanted);
  if (!reason.empty()) throw ConfigError("--device {}: {}", to_string(*wanted), reason);
  return *wanted;
}

std::vector<hpcx::DeviceProperties> devices_of(hpcx::Backend back_end, int count) {
  std::vector<hpcx::DeviceProperties> found;
  for (const hpcx::DeviceProperties& device : hpcx::list_devices())
    if (device.backend == back_end) found.push_back(device);
  // The host can stand for as many as one likes.
  if (back_end == hpcx::Backend::Cpu) found.resize(static_cast<std::size_t>(count), found.front());
  if (static_cast<int>(found.size()) < count)
    throw ConfigError("--devices {}: this process sees {} of back end {}", count, found.size(),
                      to_string(back_end));
  found.resize(static_cast<std::size_t>(count));
  return found;
}

int usable_cores() {
  int cores = static_cast<int>(available_cores().size());
  if (const auto quota = cpu_quota())
    cores = std::min(cores, std::max(1, static_cast<int>(std::floor(*quota))));
  return cores;
}

/// Threads of the program run, and its matrices lie, near the only device.
void settle_near(const std::string& bus_address, JobResult& job) {
  const std::vector<int> nodes = numa_nodes_near(bus_address);
  const NearCores near = cores_near(available_cores(), nodes, bus_address);
  if (near.remark) job.remarks.push_back(*near.remark);
  if (const auto refusal = settle_this_thread(near.cores, nodes)) job.remarks.push_back(*refusal);
}

}  // namespace

Machine::Machine(const GemmOptions& options, JobResult& job)
    : back_end_(chosen_back_end(options.back_end)),
      shapes_(options.shapes),
      pageable_(options.pageable) {
  if (shapes_.empty())
    shapes_.push_back(back_end_ == hpcx::Backend::Cpu ? Shape{4096, 4096, 2048}
                                                      : Shape{32768, 32768, 8192});
  job.version = program_version();
  job.host = host_name();
  job.host_processor = cpu_model();
  job.blas = describe_blas(blas_info(), kernel_choice());
  job.back_end = to_string(back_end_);
  open(options, job);
  allocate(options, job);
}

void Machine::open(const GemmOptions& options, JobResult& job) {
  const auto found = devices_of(back_end_, options.devices);
  const bool cpu = back_end_ == hpcx::Backend::Cpu;
  if (!cpu && options.devices == 1 && !found.front().bus_address.empty())
    settle_near(found.front().bus_address, job);
  const int cores = usable_cores();
  // Processors of its own for the host's part; a GPU needs one for the thread that enqueues.
  const int others = options.devices;
  const int host_threads =
      options.host_threads.value_or(std::max(1, cpu ? cores / (others + 1) : cores - others));
  const bool both = options.host_takes_part &&
                    std::find(options.variants.begin(), options.variants.end(), Variant::Hybrid) !=
                        options.variants.end();
  const int left = cpu && both ? cores - host_threads : cores;
  const int threads = cpu ? std::max(1, left / others) : 0;  // of a device
  claim_blas_buffers(host_threads + others * threads, available_memory().process);
  job.host_threads = host_threads;
  std::set<int> near;
  for (const hpcx::DeviceProperties& device : found) {
    const std::vector<int> nodes = numa_nodes_near(device.bus_address);
    near.insert(nodes.begin(), nodes.end());
    devices_.push_back(hpcx::open_device({.backend = back_end_,
                                          .index = device.index,
                                          .cpu = {.threads = threads, .on_thread_start = {}}}));
    job.devices.push_back(cpu ? fmt::format("{} ({} threads)", device.name, threads)
                              : fmt::format("{} ({} {}), {}", device.name, to_string(back_end_),
                                            device.index,
                                            bytes_text(devices_.back()->memory().total)));
  }
  near_.assign(near.begin(), near.end());
  host_ = hpcx::open_device(
      {.backend = hpcx::Backend::Cpu, .cpu = {.threads = host_threads, .on_thread_start = {}}});
}

void Machine::allocate(const GemmOptions& options, JobResult& job) {
  std::int64_t a = 0, b = 0, c = 0;
  for (const Shape& shape : shapes_) {
    a = std::max(a, matrix_bytes(shape.rows, shape.depth));
    b = std::max(b, matrix_bytes(shape.depth, shape.cols));
    c = std::max(c, matrix_bytes(shape.rows, shape.cols));
  }
  const MemoryBound available = memory_per_rank(available_memory(), 1);
  if (a + b + c > available.bytes)
    throw ConfigError("A, B and C need {} of host memory, {} are left ({})", bytes_text(a + b + c),
                      bytes_text(available.bytes), available.source);
  // Memory that is not to be pinned comes from the host itself, which pins nothing.
  hpcx::Device& owner = pageable_ ? *host_ : *devices_.front();
  // Between several devices all have the same share of each node.
  const std::vector<MemoryNode> known = memory_nodes();
  const std::vector<int> nodes = nodes_for(a + b + c, near_, known, 1);
  const auto place = [&nodes](void* data, std::size_t bytes) { place_memory(data, bytes, nodes); };
  std::string refusal;
  for (const auto& [memory, bytes] : {std::pair{&a_, a}, {&b_, b}, {&c_, c}}) {
    *memory = hpcx::HostMemory(owner, {.bytes = static_cast<std::size_t>(bytes), .place = place});
    if (!memory->pinned()) refusal = memory->why_not_pinned();
  }
  if (!refusal.empty()) {
    pageable_ = true;
    job.remarks.push_back("the matrices are not pinned, copies take two stages more: " + refusal);
  }
  job.pinned = !pageable_;
  if (!known.empty())
    if (const std::string there = describe_nodes(node_shares(c_.as<void>(), c_.bytes()));
        !there.empty())
      job.remarks.push_back(fmt::format("C lies on {}", there));
  for (const auto& device : devices_) {
    // A little is left to libraries; of the host's memory half to everybody else.
    const std::int64_t free = device->memory().free;
    const std::int64_t usable =
        device->shares_host_memory()
            ? free / 2 / static_cast<std::int64_t>(devices_.size())
            : free - std::min<std::int64_t>(free / 20, std::int64_t{1} << 30);
    if (options.device_memory && *options.device_memory > usable)
      throw ConfigError("--device-memory {}: {} of the device's memory can be used",
                        bytes_text(*options.device_memory), bytes_text(usable));
    device_bytes_.push_back(options.device_memory.value_or(usable));
  }
}

Operands Machine::operands(const Shape& shape, double alpha, double beta) const {
  const auto view = [](const hpcx::HostMemory& memory, std::int64_t rows, std::int64_t cols) {
    return hpcx::MatrixView{memory.as<double>(), rows, cols, leading_dimension(rows),
                            hpcx::Layout::ColumnMajor};
  };
  return {view(a_, shape.rows, shape.depth), view(b_, shape.depth, shape.cols),
          view(c_, shape.rows, shape.cols), alpha, beta};
}

}  // namespace hpl::gemm
