#include "memory/locked_memory.h"

#include <sys/resource.h>

namespace hpcx {

std::optional<unsigned long long> locked_memory_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return limit.rlim_cur;
}

std::string locked_memory_advice() {
  const auto limit = locked_memory_limit();
  if (!limit) return {};
  return "; this process may lock " + std::to_string(*limit) +
         " bytes (RLIMIT_MEMLOCK): ulimit -l unlimited, LimitMEMLOCK=infinity of a service or "
         "--ulimit memlock=-1 of a container lifts that";
}

}  // namespace hpcx
