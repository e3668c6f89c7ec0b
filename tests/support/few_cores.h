#pragma once

#include <sched.h>
#include <sys/types.h>

namespace hpl::test {

/// This process and what it starts use `count` of its cores at most: the same for the same
/// `number`. Threads of a rank wait for each other at every step. Beside other work, those of all
/// cores of a large machine need minutes for the small jobs of a test.
inline void stay_on_cores(int count, pid_t number) {
  cpu_set_t allowed, few;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;  // more than 1024 cores
  const int all = CPU_COUNT(&allowed);
  const int first = static_cast<int>(number) * count % all;
  CPU_ZERO(&few);
  for (int core = 0, index = 0; index < all; ++core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    if ((index - first + all) % all < count) CPU_SET(core, &few);
    ++index;
  }
  ::sched_setaffinity(0, sizeof few, &few);
}

}  // namespace hpl::test
