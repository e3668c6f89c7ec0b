#include <algorithm>

#include "attempt.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/check/deep/deep_check.h"

namespace hpl {
namespace {

/// Of the device.
void add_time(DeepResult& result, const char* key, const char* label, double seconds) {
  result.figures.push_back({.key = key,
                            .label = label,
                            .unit = "ms",
                            .of_device = true,
                            .lower_is_better = true,
                            .value = 1e3 * seconds});
}

}  // namespace

DeepResult measure_starts(const DeepSetup& setup) {
  DeepResult result;
  setup.world.barrier();
  attempt(result.failed, [&] {
    const std::int64_t most = setup.host.memory().free / setup.node.size() / 16;
    const auto bytes = static_cast<std::size_t>(
        std::clamp<std::int64_t>(most, 4096, std::int64_t{256} << 20) / 4096 * 4096);
    const hpcx::Stream stream = setup.host.create_stream(hpcx::Priority::Normal);
    const hpcx::Buffer memory = setup.host.allocate(bytes);
    const auto touch = [&] {
      const Stopwatch watch;
      setup.host.kernels().clear(stream, memory);
      stream.ref().synchronize();
      return 1e-9 * static_cast<double>(bytes) / watch.seconds();
    };
    for (const bool first : {true, false})
      result.figures.push_back(
          {.key = first ? "host_first_touch" : "host_second_touch",
           .label = first ? "host memory, first touch" : "host memory, second touch",
           .unit = "GB/s",
           .value = touch()});
  });
  if (setup.device.shares_host_memory()) return result;
  attempt(result.failed, [&] {
    const hpcx::StartTimes times = setup.device.start_times();
    add_time(result, "device_context", "device context", times.context);
    add_time(result, "device_modules", "device code loaded", times.modules);
    add_time(result, "device_first_allocation", "first allocation, 2 MiB", times.first_allocation);
    const auto bytes =
        static_cast<std::size_t>(std::min(setup.memory_bytes / 8, std::int64_t{256} << 20));
    const Stopwatch watch;
    const hpcx::Buffer memory = setup.device.allocate(bytes);
    add_time(result, "device_allocation", "later allocation, 256 MiB", watch.seconds());
    const Stopwatch pinned_watch;
    const hpcx::Buffer pinned = setup.device.allocate_pinned(bytes);
    add_time(result, "device_pinned_allocation", "pinned allocation, 256 MiB",
             pinned_watch.seconds());
  });
  return result;
}

}  // namespace hpl
