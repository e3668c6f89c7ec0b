#include "hpl/job/live/disturbed.h"

#include <chrono>

#include "hpl/job/live/gather.h"
#include "hpl/report/result/disturbance.h"

namespace hpl {

std::vector<std::string> measure_undisturbed(
    const mpi::Communicator& ranks, const std::function<std::vector<std::string>()>& measure,
    int times_again) {
  std::vector<std::string> reasons = measure();
  for (int again = 0; again < times_again; ++again) {
    if (ranks.all_reduce(reasons.empty() ? 0 : 1, mpi::Reduce::Max) == 0) break;
    reasons = measure();
  }
  return reasons;
}

LoadReadings LoadReadings::of_this_host() {
  return {.used = [] { return processor_time(); },
          .seconds =
              [] {
                return std::chrono::duration<double>(
                           std::chrono::steady_clock::now().time_since_epoch())
                    .count();
              }};
}

std::vector<std::string> measure_beside_others(const mpi::Communicator& ranks,
                                               const mpi::Communicator& neighbours,
                                               bool on_processors,
                                               const std::function<void()>& action, int times_again,
                                               const LoadReadings& readings) {
  return measure_undisturbed(
      ranks,
      [&] {
        const ProcessorTime before = readings.used();
        const double begin = readings.seconds();
        action();
        const ProcessorTime used = readings.used() - before;
        return disturbances(gather_others(neighbours, used, readings.seconds() - begin),
                            on_processors);
      },
      times_again);
}

}  // namespace hpl
