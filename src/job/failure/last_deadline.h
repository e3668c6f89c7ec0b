#pragma once

#include <chrono>

namespace hpl {

/// Makes the kernel kill this process (SIGKILL) after `time` if it still exists then, even where it
/// is stopped and no other rank is left to notice. Cannot be taken back. Does nothing where the
/// system has no timers left.
void kill_this_process_after(std::chrono::duration<double> time) noexcept;

}  // namespace hpl
