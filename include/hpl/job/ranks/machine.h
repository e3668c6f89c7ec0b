#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpl/base/choice/choices.h"
#include "hpl/base/result/peak_rate.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/input/command_line/options.h"
#include "hpl/machine/decide/decide.h"
#include "hpl/machine/host/memory.h"
#include "hpl/machine/host/topology.h"
#include "hpl/report/result/job_machine.h"

namespace hpl {

/// The treatment of a rank without a device, or with one that cannot be opened.
enum class DevicePolicy {
  AllOrNone,   ///< nobody has a machine: it is an error on every rank
  WithoutOne,  ///< it is left without; the others go on, see Machine::problem()
};

/// The means of one rank: its place on its node, its cores and its device.
class Machine {
 public:
  /// Divides the node's cores among its ranks, opens and binds devices. Collective over `world`;
  /// throws on all ranks alike: ConfigError when the launch cannot be honoured, RunError when a
  /// device fails.
  Machine(const mpi::Communicator& world, const mpi::Environment& environment,
          const Options& options, DevicePolicy policy = DevicePolicy::AllOrNone);

  /// Why this rank has no device (DevicePolicy::WithoutOne); empty: it has one. Without one neither
  /// device() nor host() may be asked for.
  const std::string& problem() const { return problem_; }
  /// Devices of the kind in use that the ranks of this node see together; of the CPU, whose device
  /// is a rank's share, the ranks that have one.
  int devices_of_node() const { return devices_of_node_; }

  hpcx::Device& device() const { return device_ ? *device_ : *host_; }
  hpcx::Device& host() const { return *host_; }
  ProcessorKind kind() const { return device_ ? ProcessorKind::Gpu : ProcessorKind::Cpu; }
  /// See hpcx::Device::compute_here(): the calling thread computes for the host, on the core of the
  /// compute thread whose place it takes.
  class HostLease {
   public:
    explicit HostLease(const Machine& machine);

   private:
    std::optional<ScopedBinding> binding_;
    std::unique_ptr<hpcx::ComputeLease> lease_;
  };
  mpi::ThreadLevel thread_level() const { return thread_level_; }
  /// The facts for decide().
  const Facts& facts() const { return facts_; }
  /// Ranks of the node that share this rank's device; 1 of a CPU, whose memory the node's ranks
  /// share in any case.
  int ranks_on_device() const { return ranks_on_device_; }
  /// NUMA nodes near the device; empty where unknown.
  const std::vector<int>& device_nodes() const { return device_nodes_; }
  /// NUMA nodes on which so many bytes of host memory for the device are to lie; empty: where the
  /// system puts them.
  std::vector<int> nodes_for_host_memory(std::int64_t bytes) const;
  /// Cores for this rank's threads.
  int cores() const { return static_cast<int>(share_.cores.size()); }
  const RankCores& rank_cores() const { return share_; }
  bool oversubscribed() const { return share_.oversubscribed; }
  /// Bytes this rank's matrix and workspaces may take, the same on every rank: the least of all.
  const MemoryBound& memory() const { return facts_.memory.device; }

  /// FP64 peak of this rank: of its device, or its cores; empty where unknown.
  const std::optional<PeakRate>& peak() const { return peak_; }

  /// For the report's head; complete on world rank 0. What holds for several ranks is summed up.
  const NamedValues& environment() const { return environment_; }
  const std::vector<Remark>& remarks() const { return remarks_; }
  const JobResources& resources() const { return resources_; }

 private:
  void choose_device(const mpi::Communicator& world, const mpi::Communicator& node,
                     const Options& options);
  /// Among the GPUs that the ranks of the node see.
  void assign_device(const mpi::Communicator& world, const mpi::Communicator& node,
                     const Options& options);
  /// Errors of single ranks become the same error on every rank, or a problem of these ranks.
  /// Collective over `world`.
  template <class Action>
  void together(const mpi::Communicator& world, Action&& action);
  /// A complaint of single ranks likewise. Collective over `world`.
  void refuse(const mpi::Communicator& world, const std::optional<std::string>& complaint);
  void take_cores(const mpi::Communicator& world, const mpi::Communicator& node,
                  const Options& options);
  void open_devices(const mpi::Communicator& world, const Options& options);
  /// The memory of the poorest rank. Collective over `world`.
  MemoryBounds memory_bounds(const mpi::Communicator& world, const mpi::Communicator& node,
                             const Options& options) const;
  std::optional<PeakRate> peak_of(const Options& options) const;
  void describe(const mpi::Communicator& world, const mpi::Communicator& node,
                const Options& options);

  /// Ranks of this node: those at hand, or those that a plan would have on it.
  int ranks_of_node(const mpi::Communicator& node) const {
    return planned_of_node_ > 0 ? planned_of_node_ : node.size();
  }

  DevicePolicy policy_;
  std::string problem_;
  int devices_of_node_ = 0;
  mpi::ThreadLevel thread_level_;
  int planned_of_node_ = 0;  // ranks of a plan (--ranks); 0: those of the launcher
  bool bound_ = false;
  hpcx::Backend backend_ = hpcx::Backend::Cpu;
  int device_index_ = 0;     // among the devices of the back end that this rank sees
  std::string bus_address_;  // of the device; empty for the host
  int ranks_on_device_ = 1;
  std::vector<int> device_nodes_;  // NUMA nodes near it; empty where unknown
  int ranks_near_ = 1;             // ranks of the node whose devices are near the same
  RankCores share_;
  Facts facts_;
  std::unique_ptr<hpcx::Device> host_, device_;
  std::optional<PeakRate> peak_;
  NamedValues environment_;
  JobResources resources_;
  std::vector<Remark> remarks_;
};

/// --device as a back end; where none was asked for a GPU where there is one.
hpcx::Backend choose_backend(std::optional<hpcx::Backend> request);

}  // namespace hpl
