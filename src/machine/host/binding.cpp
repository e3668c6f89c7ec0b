#include <sched.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "affinity_mask.h"
#include "hpl/machine/host/topology.h"

namespace hpl {
namespace {

constexpr int kMostCpus = 1 << 18;

}  // namespace

AffinityMask AffinityMask::of_this_thread() {
  // The kernel refuses masks shorter than its own with EINVAL.
  for (int cpus = CPU_SETSIZE; cpus <= kMostCpus; cpus *= 2) {
    std::vector<unsigned char> bytes(CPU_ALLOC_SIZE(cpus));
    if (sched_getaffinity(0, bytes.size(), reinterpret_cast<cpu_set_t*>(bytes.data())) == 0)
      return AffinityMask(std::move(bytes));
    if (errno != EINVAL) break;
  }
  return AffinityMask({});
}

AffinityMask AffinityMask::of_cpu(int cpu) {
  return of_cpus({cpu});
}

AffinityMask AffinityMask::of_cpus(const std::vector<int>& cpus) {
  const auto [first, last] = std::minmax_element(cpus.begin(), cpus.end());
  if (cpus.empty() || *first < 0 || *last >= kMostCpus) {
    return AffinityMask({});
  }
  std::vector<unsigned char> bytes(CPU_ALLOC_SIZE(*last + 1));
  for (const int cpu : cpus) {
    CPU_SET_S(static_cast<std::size_t>(cpu), bytes.size(),
              reinterpret_cast<cpu_set_t*>(bytes.data()));
  }
  return AffinityMask(std::move(bytes));
}

std::vector<int> AffinityMask::cpus() const {
  std::vector<int> cpus;
  const auto* const set = reinterpret_cast<const cpu_set_t*>(bytes_.data());
  for (std::size_t cpu = 0; cpu < bytes_.size() * 8; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes_.size(), set)) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

int AffinityMask::apply() const {
  if (bytes_.empty()) return EINVAL;
  const auto* const set = reinterpret_cast<const cpu_set_t*>(bytes_.data());
  return sched_setaffinity(0, bytes_.size(), set) == 0 ? 0 : errno;
}

std::optional<std::string> bind_this_thread(int cpu) {
  const int error = AffinityMask::of_cpu(cpu).apply();
  if (error == 0) return std::nullopt;
  return fmt::format("cannot bind a thread to processor {}: {}", cpu, std::strerror(error));
}

ScopedBinding::ScopedBinding(int cpu)
    : former_mask_(AffinityMask::of_this_thread().bytes()), remark_(bind_this_thread(cpu)) {}

ScopedBinding::~ScopedBinding() {
  if (!remark_) {
    // The mask was valid a moment ago; should it be refused now, there is nobody to tell.
    static_cast<void>(AffinityMask(former_mask_).apply());
  }
}

}  // namespace hpl
