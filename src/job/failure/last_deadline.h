#pragma once

#include <chrono>

namespace hpl {

/// The kernel kills this process (SIGKILL) after `time`, unless it has ended: also one that is
/// stopped, and that nobody is left to notice. It cannot be taken back. Where there are no timers
/// left nothing comes of it.
void kill_this_process_after(std::chrono::duration<double> time) noexcept;

}  // namespace hpl
