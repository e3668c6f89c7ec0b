#include "hpl/job/ranks/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <set>

#include "hpl/base/error/error.h"
#include "hpl/base/text/quantity.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/machine/host/blas.h"
#include "hpl/machine/host/cgroup.h"
#include "hpl/machine/host/memory_nodes.h"
#include "hpl/machine/host/placement.h"
#include "hpl/machine/host/processor.h"
#include "hpl/machine/host/versions.h"

namespace hpl {

namespace {

/// As a message.
struct RankRemarks {
  std::vector<Remark> all;
};
void describe(Record& record, RankRemarks& remarks) {
  record.internal(remarks.all);
}

/// Core sets of all ranks of a node, in rank order.
std::vector<CoreSet> gather_cores(const mpi::Communicator& node, const CoreSet& mine) {
  std::string text(sizeof(Core) * mine.size(), '\0');
  std::memcpy(text.data(), mine.data(), text.size());
  std::vector<CoreSet> all;
  for (const std::string& of_rank : node.all_gather_text(text)) {
    all.emplace_back(of_rank.size() / sizeof(Core));
    std::memcpy(all.back().data(), of_rank.data(), of_rank.size());
  }
  return all;
}

/// See least_bound(), of the ranks of `world`. Collective, same result on every rank.
MemoryBound least_of_all(const mpi::Communicator& world, const MemoryBound& mine) {
  const std::vector<std::int64_t> bytes = world.gather(mine.bytes, 0);
  const std::vector<std::string> sources = world.gather_text(mine.source, 0);
  const std::vector<std::string> hosts = world.gather_text(host_name(), 0);
  std::vector<RankBound> ranks;
  for (std::size_t rank = 0; rank < bytes.size(); ++rank)
    ranks.push_back({hosts[rank], {bytes[rank], sources[rank]}});
  const MemoryBound least = ranks.empty() ? MemoryBound() : least_bound(ranks);
  return {world.broadcast_value(least.bytes, 0), world.broadcast(least.source, 0)};
}

/// Of equally many the one of the lowest rank.
hpcx::Backend most_common(const std::vector<hpcx::Backend>& all) {
  return *std::ranges::max_element(all, {},
                                   [&](hpcx::Backend one) { return std::ranges::count(all, one); });
}

/// Ranks that a plan would have on each node, by --ranks and --ranks-per-node; 0: it is for the
/// ranks at hand. Throws ConfigError.
int planned_of_node(const mpi::Communicator& world, const Options& options, hpcx::Backend backend) {
  const int ranks = options.plan.ranks;
  if (ranks == 0) return 0;
  if (world.size() > 1)
    throw ConfigError(
        "--ranks {} plans without a launcher, found {} ranks of one; leave one of them out", ranks,
        world.size());
  std::set<int> places;  // NUMA nodes with cores, or GPUs
  if (backend == hpcx::Backend::Cpu)
    for (const Core& core : available_cores())
      places.insert(core.numa_node);
  else
    for (const hpcx::DeviceProperties& device : hpcx::list_devices())
      if (device.backend == backend) places.insert(device.index);
  const int usual = std::max(1, static_cast<int>(places.size()));
  const int of_node =
      std::min(ranks, options.plan.ranks_per_node > 0 ? options.plan.ranks_per_node : usual);
  if (ranks % of_node != 0)
    throw ConfigError(
        "--ranks must fill its nodes with {} each, found {}; --ranks-per-node gives another number",
        count_text(of_node, "rank"), ranks);
  return of_node;
}

/// Different words in all lists.
std::size_t count_of(const std::vector<std::vector<std::string>>& lists) {
  std::set<std::string> words;
  for (const auto& list : lists)
    words.insert(list.begin(), list.end());
  return words.size();
}

}  // namespace

hpcx::Backend choose_backend(std::optional<hpcx::Backend> request) {
  return request ? *request : hpcx::list_devices().front().backend;  // GPUs come first
}

template <class Action>
void Machine::together(const mpi::Communicator& world, Action&& action) {
  std::optional<std::string> error;
  try {
    if (problem_.empty()) action();
  } catch (const std::exception& e) {
    error = e.what();
  }
  if (policy_ == DevicePolicy::AllOrNone)
    mpi::agree_or_throw(world, error);
  else if (error)
    problem_ = *error;
}

void Machine::refuse(const mpi::Communicator& world, const std::optional<std::string>& complaint) {
  if (policy_ == DevicePolicy::AllOrNone)
    refuse_together(world, complaint);
  else if (complaint && problem_.empty())
    problem_ = *complaint;
}

Machine::Machine(const mpi::Communicator& world, const mpi::Environment& environment,
                 const Options& options, DevicePolicy policy)
    : policy_(policy), thread_level_(environment.thread_level()) {
  const mpi::Communicator node = world.split_shared();
  environment_ = host_lines();  // before anything is bound
  choose_device(world, node, options);
  take_cores(world, node, options);
  open_devices(world, options);

  if (backend_ == hpcx::Backend::Cpu)
    devices_of_node_ =
        static_cast<int>(node.all_reduce(problem_.empty() ? 1 : 0, mpi::Reduce::Sum));

  const MemoryBounds memory = memory_bounds(world, node, options);
  if (problem_.empty()) facts_ = facts_of(device());
  facts_.memory = memory;
  facts_.threads = host_ ? host_->properties().compute_units : 1;
  facts_.cores = cores();
  facts_.oversubscribed = share_.oversubscribed;
  facts_.thread_level = thread_level_;
  peak_ = peak_of(options);
  const bool without_peak = options.gates.min_peak_efficiency && problem_.empty() && !peak_;
  refuse_together(world, without_peak ? std::optional(fmt::format(
                                            "--min-peak-efficiency needs the theoretical peak, "
                                            "which is not known of {}: give it with --rpeak",
                                            device().properties().name))
                                      : std::nullopt);
  describe(world, node, options);
}

MemoryBounds Machine::memory_bounds(const mpi::Communicator& world, const mpi::Communicator& node,
                                    const Options& options) const {
  MemoryBounds memory;
  memory.host = memory_per_rank(available_memory(), ranks_of_node(node));
  memory.device = kind() == ProcessorKind::Cpu
                      ? memory.host
                      : device_memory_per_rank(device().memory().free, ranks_on_device_);
  if (options.machine.device_memory && *options.machine.device_memory < memory.device.bytes)
    memory.device = {*options.machine.device_memory, "--device-memory"};
  for (MemoryBound* const bound : {&memory.device, &memory.host}) {
    if (!problem_.empty()) bound->bytes = std::numeric_limits<std::int64_t>::max();
    *bound = least_of_all(world, *bound);
  }
  return memory;
}

std::optional<PeakRate> Machine::peak_of(const Options& options) const {
  if (options.machine.rpeak)
    return PeakRate{*options.machine.rpeak, fmt::format("--rpeak {}", *options.machine.rpeak)};
  if (kind() == ProcessorKind::Cpu)  // cores that ranks share are nobody's alone
    return share_.oversubscribed ? std::nullopt : cpu_peak(cores());
  std::optional<PeakRate> peak = device_peak(device().properties(), device().telemetry().health());
  if (peak && ranks_on_device_ > 1) {
    peak->gflops /= ranks_on_device_;
    peak->source += fmt::format(" / {} ranks", ranks_on_device_);
  }
  return peak;
}

void Machine::take_cores(const mpi::Communicator& world, const mpi::Communicator& node,
                         const Options& options) {
  const NearCores near = cores_near(available_cores(), device_nodes_, bus_address_);
  if (near.remark) remarks_.push_back(warning("cores", *near.remark));
  const auto planned =
      static_cast<std::size_t>(backend_ == hpcx::Backend::Cpu ? planned_of_node_ : ranks_near_);
  const std::vector<RankCores> shares =
      split_cores(planned_of_node_ > 0 ? std::vector<CoreSet>(planned, near.cores)
                                       : gather_cores(node, near.cores),
                  cpu_quota());
  share_ = shares[node.rank()];
  const bool needs_own =
      options.compares_ranks() && !options.only_plans() && !options.machine.share_cores;
  const auto fault =
      needs_own ? shared_cores_fault(shares, node.all_gather(world.rank())) : std::nullopt;
  refuse_together(world, fault ? std::optional(fmt::format(
                                     "{}: {}; --share-cores measures all the same and compares "
                                     "nothing",
                                     mpi::host_name(), *fault))
                               : std::nullopt);
  if (options.machine.threads > 0) {
    if (options.machine.threads > cores())
      remarks_.push_back(warning("threads",
                                 "--threads {}: this rank has {}, its threads share them",
                                 options.machine.threads, count_text(cores(), "core")));
    else
      share_.cores.resize(options.machine.threads);
  } else if (const auto idle = backend_ == hpcx::Backend::Cpu
                                   ? idle_cores_remark(shares, allowed_core_count())
                                   : std::nullopt) {
    remarks_.push_back(warning("cores", *idle));
  }
  if (!share_.remark.empty()) remarks_.push_back(warning("cores", share_.remark));
  if (backend_ != hpcx::Backend::Cpu && !share_.oversubscribed)
    if (const auto remark = few_cores_remark(static_cast<int>(shares[node.rank()].cores.size())))
      remarks_.push_back(warning("cores", *remark));
  // Ranks of one run must agree on how they wait.
  share_.oversubscribed = world.all_reduce(share_.oversubscribed, mpi::Reduce::Max) > 0;
}

void Machine::choose_device(const mpi::Communicator& world, const mpi::Communicator& node,
                            const Options& options) {
  together(world, [&] {
    backend_ = choose_backend(options.machine.device);
    if (backend_ == hpcx::Backend::Cpu) return;
    if (const std::string reason = hpcx::why_unavailable(backend_); !reason.empty())
      throw RunError("--device {}: {}", hpcx::to_string(backend_), reason);
  });
  hpcx::Backend wanted = world.broadcast_value(backend_, 0);
  // A fleet is what most of it is: one host without its GPUs must not decide, be it the first.
  if (policy_ == DevicePolicy::WithoutOne) wanted = most_common(world.all_gather(backend_));
  refuse(world, backend_ == wanted
                    ? std::nullopt
                    : std::optional(
                          fmt::format("every rank needs the same kind of device, found {} on rank "
                                      "0 and {} on rank {} on {}; --device cpu leaves the GPUs out",
                                      hpcx::to_string(wanted), hpcx::to_string(backend_),
                                      world.rank(), mpi::host_name())));
  backend_ = wanted;
  planned_of_node_ = planned_of_node(world, options, backend_);
  if (backend_ != hpcx::Backend::Cpu) assign_device(world, node, options);
}

void Machine::assign_device(const mpi::Communicator& world, const mpi::Communicator& node,
                            const Options& options) {
  std::vector<std::string> visible, addresses;
  for (const hpcx::DeviceProperties& device : hpcx::list_devices())
    if (device.backend == backend_) {
      visible.push_back(device_word(device.bus_address, device.uuid));
      addresses.push_back(device.bus_address);
    }
  const int count = static_cast<int>(visible.size());

  std::vector<std::vector<std::string>> all;
  for (const std::string& text : node.all_gather_text(fmt::format("{}", fmt::join(visible, " ")))) {
    const auto words = split_words(text);
    all.emplace_back(words.begin(), words.end());
  }
  if (const auto remark = lone_devices_remark(all)) remarks_.push_back(warning("devices", *remark));
  if (planned_of_node_ > 0) all.resize(planned_of_node_, all.front());
  devices_of_node_ = static_cast<int>(count_of(all));
  const auto assigned = assign_devices(all);
  const int number = local_rank(node.rank(), node.size(), environment_value);
  const bool hidden_neighbours = number != node.rank();
  std::optional<std::string> complaint;
  if (assigned && !hidden_neighbours) {
    device_index_ = (*assigned)[node.rank()];
  } else if (const auto left = policy_ == DevicePolicy::WithoutOne && !hidden_neighbours
                                   ? assign_what_is_there(all, node.rank())
                                   : std::nullopt) {
    device_index_ = *left;
  } else if (count > 0 && (options.machine.share_device || (hidden_neighbours && number < count))) {
    device_index_ = number % count;
  } else {
    const std::string variables = visibility_text(hpcx::visibility_variables(), environment_value);
    complaint = fmt::format(
        "{} on {}, which see {} {}{}: start one rank per device, or allow sharing with "
        "--share-device",
        count_text(hidden_neighbours ? number + 1 : ranks_of_node(node), "rank"), mpi::host_name(),
        hpcx::to_string(backend_), count_text(count_of(all), "device"),
        variables.empty() ? "" : fmt::format(" ({})", variables));
  }
  refuse(world, complaint);
  std::string mine;
  if (problem_.empty()) {
    mine = visible[device_index_];
    bus_address_ = addresses[device_index_];
    device_nodes_ = numa_nodes_near(bus_address_);
  }
  const auto nodes_text = [](const std::vector<int>& nodes) {
    return fmt::format("{}", fmt::join(nodes, " "));
  };
  const std::string nodes = nodes_text(device_nodes_);
  std::vector<std::string> taken, near;  // by rank of the node
  for (int rank = 0; rank < planned_of_node_; ++rank) {
    taken.push_back(visible[rank % count]);
    near.push_back(nodes_text(numa_nodes_near(addresses[rank % count])));
  }
  if (planned_of_node_ == 0) {
    taken = node.all_gather_text(mine);
    near = node.all_gather_text(nodes);
  }
  ranks_on_device_ = static_cast<int>(std::ranges::count(taken, mine));
  ranks_near_ = static_cast<int>(std::ranges::count(near, nodes));
}

void Machine::open_devices(const mpi::Communicator& world, const Options& options) {
  const int threads = options.machine.threads > 0 ? options.machine.threads : cores();
  bound_ = options.machine.bind && !share_.oversubscribed;
  // The workers of a rank with a GPU, and what they allocate, stay near it.
  if (bound_ && backend_ != hpcx::Backend::Cpu && !share_.cores.empty())
    if (const auto remark = settle_this_thread(share_.cores, device_nodes_))
      remarks_.push_back(warning("memory", *remark));
  together(world, [&] {
    claim_blas_buffers(threads, available_memory().process);
    hpcx::CpuOptions cpu{.threads = threads};
    if (bound_)
      cpu.on_thread_start = [cores = share_.cores](int thread) {
        bind_this_thread(cores[static_cast<std::size_t>(thread) % cores.size()].cpu);
      };
    host_ = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = cpu});
    if (backend_ != hpcx::Backend::Cpu)
      device_ = hpcx::open_device({.backend = backend_, .index = device_index_});
  });
}

std::vector<int> Machine::nodes_for_host_memory(std::int64_t bytes) const {
  return nodes_for(bytes, device_nodes_, memory_nodes(), ranks_near_);
}

Machine::HostLease::HostLease(const Machine& machine) {
  if (machine.bound_) binding_.emplace(machine.share_.cores.front().cpu);
  lease_ = machine.host().compute_here();
}

void Machine::describe(const mpi::Communicator& world, const mpi::Communicator& node,
                       const Options& options) {
  const int ranks = options.plan.ranks_or(world.size());
  const auto nodes =
      planned_of_node_ > 0
          ? ranks / planned_of_node_
          : static_cast<int>(world.all_reduce(node.rank() == 0 ? 1 : 0, mpi::Reduce::Sum));
  facts_.ranks_per_node = (ranks + nodes - 1) / nodes;
  resources_ = {.ranks = ranks,
                .nodes = nodes,
                .threads_per_rank = facts_.threads,
                .cores_per_rank = facts_.cores};
  if (host_) environment_.emplace_back("ranks", to_string(resources_));
  if (problem_.empty()) {
    const hpcx::DeviceProperties& properties = device().properties();
    environment_.emplace_back(
        "device", fmt::format("{}: {} ({})", hpcx::to_string(properties.backend), properties.name,
                              properties.description));
  }
  const BlasInfo blas = blas_info();
  environment_.emplace_back("BLAS", describe_blas(blas, kernel_choice()));
  environment_.emplace_back(
      "MPI", fmt::format("{}, threads: {}", short_library_version(mpi::library_version()),
                         mpi::to_string(thread_level_)));
  environment_.emplace_back("compiler", compiler_version());
  if (const auto text = kernel_warning(blas, kernel_choice(), cpu_features()))
    remarks_.push_back(warning("BLAS", *text));
  if (host_)
    if (const auto text = threads_warning(blas)) remarks_.push_back(warning("BLAS", *text));

  // A remark of any rank is worth a line, once.
  const std::vector<std::string> of_ranks = world.gather_text(pack(RankRemarks{remarks_}), 0);
  remarks_.clear();
  for (const std::string& bytes : of_ranks)
    append(remarks_, unpack<RankRemarks>(bytes).all);
  if (planned_of_node_ > 0)
    remarks_.push_back(warning("ranks", "planned for {} on {} like this one",
                               count_text(ranks, "rank"), count_text(nodes, "node")));
}

}  // namespace hpl
