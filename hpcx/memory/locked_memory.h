#pragma once

#include <sys/resource.h>

#include <string>

namespace hpcx {

/// For the end of a message that says that pinning was refused: the bytes that the system lets this
/// process lock into memory, and what lifts this limit. Empty where there is none.
inline std::string locked_memory_advice() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return "; this process may lock " + std::to_string(limit.rlim_cur) +
         " bytes (RLIMIT_MEMLOCK): ulimit -l unlimited, LimitMEMLOCK=infinity of a service or "
         "--ulimit memlock=-1 of a container lifts that";
}

}  // namespace hpcx
