#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/machine/host/text_file.h"

namespace hpl {

/// An amount of memory and what sets it.
struct MemoryBound {
  std::int64_t bytes = 0;
  std::string source;  ///< "MemAvailable", "control group /sys/fs/cgroup/job", "ulimit -v of 2 GB"
};

/// A rank's bounds on its device's memory and, beside that, on its host's. If the device is the
/// host both are one memory.
struct MemoryBounds {
  MemoryBound device, host;
};

/// Memory that can still be had.
struct AvailableMemory {
  MemoryBound node;                    ///< shared by all processes of the host or container
  std::optional<MemoryBound> process;  ///< of this process alone; empty when no ulimit is set
};

/// Limits of one process in bytes; empty is unlimited (getrlimit: RLIMIT_AS, RLIMIT_DATA).
struct ProcessLimits {
  std::optional<std::int64_t> address_space;
  std::optional<std::int64_t> data;
  std::int64_t stacks = 0;  ///< of threads that a run will start; they count in both
};
ProcessLimits process_limits();

/// Under a limit all threads share one heap. A heap of its own takes 64 MiB of address space,
/// whether used or not. For the whole process; called before there are threads.
void share_heap_under_limit() noexcept;

/// MemAvailable of /proc/meminfo in bytes; kernels before 3.14 lack it, then free memory, buffers
/// and cache. Empty when the text holds neither.
std::optional<std::int64_t> parse_available_memory(std::string_view meminfo);

/// Memory that this process and its neighbours can still allocate: the least of MemAvailable and,
/// for each control group from the process's own up to the root, its limit less what is used (page
/// cache that can be dropped at once does not count as used). Never negative. Throws RunError when
/// /proc/meminfo cannot be read.
AvailableMemory available_memory(const FileReader& read, const ProcessLimits& limits);
AvailableMemory available_memory();

/// The memory for each of ranks_on_node equal ranks of this host.
MemoryBound memory_per_rank(const AvailableMemory& memory, int ranks_on_node);

/// The memory for each of the ranks that share a device with memory of its own. `free_bytes` are
/// free when all have opened it.
MemoryBound device_memory_per_rank(std::int64_t free_bytes, int ranks_on_device);

/// The bound of a rank and its place.
struct RankBound {
  std::string host;
  MemoryBound bound;
};

/// The least bound of all ranks, by rank. Its source ends with the place, "control group /job, rank
/// 5 on node02", unless all ranks have one source, and one amount or one host. Pure.
MemoryBound least_bound(const std::vector<RankBound>& ranks);

}  // namespace hpl
