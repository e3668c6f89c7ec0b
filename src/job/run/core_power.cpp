#include "core_power.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "hpl/base/power/phase_energy.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/report/result/component_power.h"
#include "hpl/report/result/device_telemetry.h"

namespace hpl {

void CoreClock::start() {
  using std::chrono::duration;
  steady_ = duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  unix_ = duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void add_core_power(TelemetrySummary& sensors, const PowerSeries& samples, double begin,
                    double seconds, std::span<const Span> spans) {
  sensors.core_power = power_averages(samples, begin, begin + seconds);
  if (sensors.core_power) sensors.phase_joules = phase_energies(samples, begin, spans);
}

RunPower gather_power(const mpi::Communicator& ranks, const PowerSeries& samples,
                      const CoreClock& core, const RunResult& result) {
  RunPower power{.begin = core.unix_seconds(),
                 .end = core.unix_seconds() + result.seconds,
                 .utc_offset = zoned(core.unix_seconds()).zone_offset_seconds,
                 .nodes = 0,
                 .components = {},
                 .meter = {}};
  power.components = component_power(result.devices);
  power.nodes = node_count(result.devices);
  // The trace of all is added up on the way; of a device that ranks share, one of them counts.
  std::vector<char> counts(static_cast<std::size_t>(ranks.size()), 0);
  if (power.components)
    for (const DeviceTelemetry& device : distinct_devices(result.devices))
      counts[static_cast<std::size_t>(device.rank)] = 1;
  ranks.broadcast(std::as_writable_bytes(std::span(counts)), 0);
  if (std::ranges::count(counts, 1) == 0) return power;
  const auto length = static_cast<std::size_t>(std::max(0.0, std::ceil(result.seconds)));
  std::vector<double> sums(2 * length, 0);  // of watts, of devices that know them
  if (counts[static_cast<std::size_t>(ranks.rank())] != 0) {
    const double begin = core.steady_seconds();
    const auto trace = power_by_second(samples, begin, begin + result.seconds);
    for (std::size_t i = 0; i < std::min(length, trace.size()); ++i) {
      sums[i] = trace[i].value_or(0);
      sums[length + i] = trace[i] ? 1 : 0;
    }
  }
  ranks.all_reduce(std::span(sums), mpi::Reduce::Sum);
  if (!power.components) return power;
  const auto devices = static_cast<double>(std::ranges::count(counts, 1));
  for (std::size_t i = 0; i < length; ++i)
    power.components->trace.push_back(sums[length + i] == devices ? std::optional(sums[i])
                                                                  : std::nullopt);
  return power;
}

}  // namespace hpl
