#include "last_deadline.h"

#include <csignal>
#include <ctime>

namespace hpl {

void kill_this_process_after(std::chrono::duration<double> time) noexcept {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds);
  const itimerspec once{.it_interval = {},
                        .it_value = {.tv_sec = seconds.count(), .tv_nsec = rest.count()}};
  timer_settime(timer, 0, &once, nullptr);
}

}  // namespace hpl
