#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hpl {

/// One physical core as a rank sees it. Trivially copyable, so that ranks can exchange theirs as
/// bytes. All numbers are the operating system's, hence the same for every rank of a host whatever
/// its mask.
struct Core {
  int cpu = 0;        ///< hardware thread to bind to: the first of the core that the rank may use
  int id = 0;         ///< first hardware thread of the core, allowed or not: equal for siblings
  int numa_node = 0;  ///< 0 where unknown

  bool operator==(const Core&) const = default;
};

/// Cores in ascending (numa_node, id), each physical core once.
using CoreSet = std::vector<Core>;

/// Cores that the calling thread may use: its affinity mask within what the control group allows,
/// siblings of one core counted once. At least one. Call it before any thread binds itself.
CoreSet available_cores();

/// Physical cores of the host that the control group allows, whatever the affinity mask. At
/// least 1.
int allowed_core_count();

/// Marketing name, e.g. "AMD EPYC 9654 96-Core Processor"; "unknown" where the system does not give
/// one.
std::string cpu_model();

/// The cores of one rank of a host.
struct RankCores {
  CoreSet cores;                ///< one compute thread each
  bool oversubscribed = false;  ///< shares a core, or a CPU quota, with another rank
  std::string remark;           ///< for the report; empty when there is nothing to say
};

/// Divides the cores of one host among its ranks: rank i may use rank_cores[i], all ranks of the
/// host in the same order everywhere, so every rank computes the same division. A rank whose cores
/// nobody else has keeps them. Ranks with equal masks get contiguous pieces (in NUMA order) whose
/// sizes differ by one at most, the larger first. Ranks with overlapping masks get as even a number
/// of cores of their own masks as possible. No core goes to two ranks unless there are fewer cores
/// than ranks; then those concerned are marked. cpu_quota (see cpu_quota()) is shared by all ranks
/// of the host and bounds the sum of their cores, one each at least.
std::vector<RankCores> split_cores(const std::vector<CoreSet>& rank_cores,
                                   std::optional<double> cpu_quota = std::nullopt);

/// The fault of a launch that gives ranks of a host a core, or processors of a control group,
/// together: "ranks 0 and 1 share core 0: start with --bind-to none or fewer ranks". `ranks`: the
/// job's numbers of those that share the host. Empty: each has cores of its own.
std::optional<std::string> shared_cores_fault(const std::vector<RankCores>& shares,
                                              const std::vector<int>& ranks);

/// A sentence for the report when the launcher's binding leaves cores of the host idle, e.g.
/// because mpirun bound each of two ranks to one core by default. Empty when all allowed_cores are
/// in use or a share has a remark of its own (a quota, too many ranks), which then is the one to
/// read.
std::optional<std::string> idle_cores_remark(const std::vector<RankCores>& shares,
                                             int allowed_cores);

/// Binds the calling thread to one hardware thread. A failure is no reason to end a run: it returns
/// what happened.
std::optional<std::string> bind_this_thread(int cpu);

/// Binds the calling thread and gives its former mask back at the end; both happen in the same
/// thread.
class ScopedBinding {
 public:
  explicit ScopedBinding(int cpu);
  ~ScopedBinding();
  ScopedBinding(const ScopedBinding&) = delete;
  ScopedBinding& operator=(const ScopedBinding&) = delete;

  /// Why the thread is not bound; empty when it is.
  const std::optional<std::string>& remark() const { return remark_; }

 private:
  std::vector<unsigned char> former_mask_;
  std::optional<std::string> remark_;
};

}  // namespace hpl
