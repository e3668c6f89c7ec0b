#include "hpl/machine/host/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/text/text_value.h"
#include "hpl/machine/host/cgroup.h"

namespace hpl {
namespace {

/// Version 1 says "no limit" with the largest multiple of a page; no machine has an exbibyte.
constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;

/// Threads that a process starts beside its compute threads: workers, readers of sensors.
constexpr std::int64_t kThreadsOfARun = 12;

/// Value of a line "Key:  123 kB" in bytes (/proc/meminfo, /proc/self/status).
std::optional<std::int64_t> kilobytes_of(std::string_view text, std::string_view key) {
  for (const auto line : split_lines(text)) {
    const auto words = split_words(line);
    if (words.size() >= 2 && words[0].size() == key.size() + 1 && words[0].back() == ':' &&
        words[0].substr(0, key.size()) == key) {
      const auto value = parse_integer(words[1]);
      return value ? std::optional<std::int64_t>(*value * 1024) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// Value of a line "key 123" (memory.stat).
std::optional<std::int64_t> statistic_of(std::string_view text, std::string_view key) {
  for (const auto line : split_lines(text)) {
    const auto words = split_words(line);
    if (words.size() == 2 && words[0] == key) return parse_integer(words[1]);
  }
  return std::nullopt;
}

std::optional<std::int64_t> number_in(const std::string& path, const FileReader& read) {
  const auto text = read(path);
  return text ? parse_integer(trimmed(*text)) : std::nullopt;
}

/// The stack of a thread with default attributes.
std::int64_t stack_bytes() noexcept {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  if (pthread_getattr_default_np(&attributes) != 0) return 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return static_cast<std::int64_t>(bytes);
}

/// Bytes that one group still grants: limit - (usage - page cache not touched lately). Empty when
/// it sets no limit.
std::optional<std::int64_t> left_in_group(const std::string& directory, const FileReader& read) {
  std::int64_t limit = kUnlimited;
  // memory.high is a limit too: beyond it the kernel slows the processes down to reclaim.
  for (const auto* name : {"/memory.max", "/memory.high", "/memory.limit_in_bytes"})
    limit = std::min<std::int64_t>(limit, number_in(directory + name, read).value_or(kUnlimited));
  if (limit >= kUnlimited) return std::nullopt;
  auto usage = number_in(directory + "/memory.current", read);
  const bool unified = usage.has_value();
  if (!unified) usage = number_in(directory + "/memory.usage_in_bytes", read);
  const auto statistics = read(directory + "/memory.stat").value_or("");
  const auto cache =
      statistic_of(statistics, unified ? "inactive_file" : "total_inactive_file").value_or(0);
  const auto used = std::max<std::int64_t>(0, usage.value_or(0) - cache);
  return std::max<std::int64_t>(0, limit - used);
}

std::optional<std::int64_t> finite_limit(int resource) {
  rlimit limit{};
  // The type of getrlimit's first argument differs between C and C++ in glibc.
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  constexpr auto largest = static_cast<rlim_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(limit.rlim_cur, largest));
}

}  // namespace

ProcessLimits process_limits() {
  return {.address_space = finite_limit(RLIMIT_AS),
          .data = finite_limit(RLIMIT_DATA),
          .stacks = kThreadsOfARun * stack_bytes()};
}

void share_heap_under_limit() noexcept {
  const ProcessLimits limits = process_limits();
  if (limits.address_space || limits.data) mallopt(M_ARENA_MAX, 1);
}

std::optional<std::int64_t> parse_available_memory(std::string_view meminfo) {
  if (const auto available = kilobytes_of(meminfo, "MemAvailable")) return available;
  const auto free = kilobytes_of(meminfo, "MemFree");
  if (!free) return std::nullopt;
  return *free + kilobytes_of(meminfo, "Buffers").value_or(0) +
         kilobytes_of(meminfo, "Cached").value_or(0);
}

AvailableMemory available_memory(const FileReader& read, const ProcessLimits& limits) {
  const auto meminfo = read("/proc/meminfo");
  const auto free = meminfo ? parse_available_memory(*meminfo) : std::nullopt;
  if (!free) throw RunError("the free memory is unknown: /proc/meminfo is missing or unreadable");
  AvailableMemory memory{.node = {.bytes = *free, .source = "MemAvailable"}};
  for (const auto& directory : cgroup_directories("memory", read)) {
    const auto left = left_in_group(directory, read);
    if (left && *left < memory.node.bytes) {
      memory.node = {.bytes = *left, .source = "control group " + directory};
    }
  }

  const auto status = read("/proc/self/status").value_or("");
  const auto bound_process = [&](std::optional<std::int64_t> limit,
                                 std::optional<std::int64_t> used, const char* name) {
    if (!limit) return;
    const auto left = std::max<std::int64_t>(0, *limit - used.value_or(0) - limits.stacks);
    if (!memory.process || left < memory.process->bytes) {
      memory.process =
          MemoryBound{.bytes = left, .source = fmt::format("{} of {}", name, bytes_text(*limit))};
    }
  };
  bound_process(limits.address_space, kilobytes_of(status, "VmSize"), "ulimit -v");
  bound_process(limits.data, kilobytes_of(status, "VmData"), "ulimit -d");
  return memory;
}

AvailableMemory available_memory() {
  return available_memory(read_text_file, process_limits());
}

MemoryBound memory_per_rank(const AvailableMemory& memory, int ranks_on_node) {
  HPL_ASSERT(ranks_on_node >= 1);
  MemoryBound share{.bytes = memory.node.bytes / ranks_on_node, .source = memory.node.source};
  if (memory.process && memory.process->bytes < share.bytes) share = *memory.process;
  return share;
}

MemoryBound device_memory_per_rank(std::int64_t free_bytes, int ranks_on_device) {
  HPL_ASSERT(ranks_on_device >= 1);
  std::string source = "free memory of the device";
  if (ranks_on_device > 1) source += ", which " + std::to_string(ranks_on_device) + " ranks share";
  return {.bytes = free_bytes / ranks_on_device, .source = std::move(source)};
}

MemoryBound least_bound(const std::vector<RankBound>& ranks) {
  const auto bytes_of = [](const RankBound& rank) { return rank.bound.bytes; };
  const auto least = std::ranges::min_element(ranks, {}, bytes_of);
  MemoryBound bound = least->bound;
  const bool of_all = std::ranges::all_of(ranks, [&](const RankBound& rank) {
    return rank.bound.source == bound.source &&
           (rank.bound.bytes == bound.bytes || rank.host == least->host);
  });
  if (!of_all) bound.source += fmt::format(", rank {} on {}", least - ranks.begin(), least->host);
  return bound;
}

}  // namespace hpl
