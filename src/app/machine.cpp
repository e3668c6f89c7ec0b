#include "hpl/app/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "hpl/base/error.h"
#include "hpl/host/blas.h"
#include "hpl/host/cgroup.h"
#include "hpl/host/cpu_info.h"
#include "hpl/host/versions.h"
#include "hpl/mpi/failure.h"

namespace hpl {

namespace {

/// Core sets of all ranks of a node, in rank order.
std::vector<CoreSet> gather_cores(const mpi::Communicator& node, const CoreSet& mine) {
  std::vector<CoreSet> all(static_cast<std::size_t>(node.size()));
  const std::vector<std::int64_t> counts = node.all_gather(static_cast<std::int64_t>(mine.size()));
  for (int rank = 0; rank < node.size(); ++rank) {
    CoreSet& cores = all[static_cast<std::size_t>(rank)];
    cores = mine;
    cores.resize(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]));
    node.broadcast(std::as_writable_bytes(std::span(cores)), rank);
  }
  return all;
}

/// Errors of single ranks become the same error on every rank.
template <class Action>
void together(const mpi::Communicator& world, Action&& action) {
  std::optional<std::string> error;
  try {
    action();
  } catch (const std::exception& e) {
    error = e.what();
  }
  mpi::agree_or_throw(world, error);
}

}  // namespace

hpcx::Backend choose_backend(DeviceRequest request) {
  switch (request) {
    case DeviceRequest::Cpu:
      return hpcx::Backend::Cpu;
    case DeviceRequest::Cuda:
      return hpcx::Backend::Cuda;
    case DeviceRequest::Hip:
      return hpcx::Backend::Hip;
    case DeviceRequest::Auto:
      break;
  }
  const auto devices = hpcx::list_devices();  // GPUs come first
  return devices.front().backend;
}

Machine::Machine(const mpi::Communicator& world, const mpi::Environment& environment,
                 const Options& options)
    : thread_level_(environment.thread_level()) {
  const mpi::Communicator node = world.split_shared();
  environment_ = host_lines();  // before anything is bound
  take_cores(world, node, options);
  open_devices(world, node, options);

  // Every rank plans with what the poorest has.
  if (kind() == ProcessorKind::Cpu)
    memory_ = memory_per_rank(available_memory(), node.size());
  else
    memory_ = {device().memory().free, "free memory of the device"};
  memory_.bytes = world.all_reduce(memory_.bytes, mpi::Reduce::Min);
  describe(world, node);
}

void Machine::take_cores(const mpi::Communicator& world, const mpi::Communicator& node,
                         const Options& options) {
  const std::vector<CoreShare> shares =
      split_cores(gather_cores(node, available_cores()), cpu_quota());
  share_ = shares[static_cast<std::size_t>(node.rank())];
  if (options.threads > 0) {
    if (options.threads > cores())
      remarks_.push_back(
          fmt::format("--threads {}: this rank has {} core(s), its threads share them",
                      options.threads, cores()));
    else
      share_.cores.resize(static_cast<std::size_t>(options.threads));
  } else if (const auto idle = idle_cores_remark(shares, allowed_core_count())) {
    remarks_.push_back(*idle);
  }
  if (!share_.remark.empty()) remarks_.push_back(share_.remark);
  // Ranks of one run must agree on how they wait.
  share_.oversubscribed = world.all_reduce(share_.oversubscribed, mpi::Reduce::Max) > 0;
}

void Machine::open_devices(const mpi::Communicator& world, const mpi::Communicator& node,
                           const Options& options) {
  const hpcx::Backend backend = choose_backend(options.device);
  const int threads = options.threads > 0 ? options.threads : cores();
  bound_ = options.bind && !share_.oversubscribed;
  together(world, [&] {
    hpcx::CpuOptions cpu{.threads = threads};
    if (bound_)
      cpu.on_thread_start = [cores = share_.cores](int thread) {
        bind_this_thread(cores[static_cast<std::size_t>(thread) % cores.size()].cpu);
      };
    host_ = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = cpu});
    if (backend == hpcx::Backend::Cpu) return;
    const std::string reason = hpcx::why_unavailable(backend);
    if (!reason.empty())
      throw RunError(fmt::format("--device {}: {}", hpcx::to_string(backend), reason));
    const auto devices = hpcx::list_devices();
    const auto count = static_cast<int>(
        std::count_if(devices.begin(), devices.end(),
                      [&](const hpcx::DeviceProperties& d) { return d.backend == backend; }));
    if (node.size() > count && !options.share_device)
      throw RunError(
          fmt::format("{} ranks on this node but {} {} device(s): start one rank a "
                      "device, or allow sharing with --share-device",
                      node.size(), count, hpcx::to_string(backend)));
    device_ = hpcx::open_device({.backend = backend, .index = node.rank() % count});
  });
}

Machine::HostLease::HostLease(const Machine& machine) {
  if (machine.bound_) binding_.emplace(machine.share_.cores.front().cpu);
  lease_ = machine.host().compute_here();
}

void Machine::describe(const mpi::Communicator& world, const mpi::Communicator& node) {
  const std::int64_t nodes = world.all_reduce(node.rank() == 0 ? 1 : 0, mpi::Reduce::Sum);
  environment_.emplace_back(
      "ranks", fmt::format("{} on {} node(s), {} compute thread(s) each", world.size(), nodes,
                           host_->properties().compute_units));
  const hpcx::DeviceProperties& properties = device().properties();
  environment_.emplace_back(
      "device", fmt::format("{}: {} ({})", hpcx::to_string(properties.backend), properties.name,
                            properties.description));
  const BlasInfo blas = blas_info();
  environment_.emplace_back("BLAS", describe_blas(blas, kernel_choice()));
  environment_.emplace_back(
      "MPI", fmt::format("{}, threads: {}", short_library_version(mpi::library_version()),
                         mpi::to_string(thread_level_)));
  environment_.emplace_back("compiler", compiler_version());
  if (const auto warning = kernel_warning(blas, kernel_choice(), cpu_features()))
    remarks_.push_back(*warning);

  // A remark of any rank is worth a line, once.
  std::vector<std::string> all = world.gather_text(fmt::format("{}", fmt::join(remarks_, "\n")), 0);
  remarks_.clear();
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (!all[rank].empty() &&
        std::find(remarks_.begin(), remarks_.end(), all[rank]) == remarks_.end())
      remarks_.push_back(all[rank]);
}

}  // namespace hpl
