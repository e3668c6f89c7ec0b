#include "hpl/app/watchdog.h"

#include <condition_variable>
#include <mutex>

namespace hpl {

Watchdog::Watchdog(const JobControl& control, std::chrono::duration<double> limit,
                   std::function<void(const std::string&)> on_timeout) {
  if (limit.count() <= 0) return;
  thread_ =
      std::jthread([&control, limit, on_timeout = std::move(on_timeout)](std::stop_token stop) {
        std::mutex mutex;
        std::condition_variable_any woken;
        std::unique_lock lock(mutex);
        const auto pause =
            std::min<std::chrono::duration<double>>(limit / 4, std::chrono::seconds(1));
        while (!woken.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
          if (control.since_last_beat() < limit) continue;
          on_timeout(control.describe());
          return;
        }
      });
}

}  // namespace hpl
