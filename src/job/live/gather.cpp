#include "hpl/job/live/gather.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/power/run_power.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/comm/mpi/request.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/working_times.h"

namespace hpl {

void gather_timelines(const mpi::Communicator& ranks, const hpcx::DeviceProperties& device,
                      const std::vector<Span>& spans,
                      const std::function<void(RankTimeline)>& take) {
  static_assert(std::is_trivially_copyable_v<Span>);
  const auto hosts = ranks.gather_text(mpi::host_name(), 0);
  const auto devices = ranks.gather_text(
      fmt::format("{} {}: {}", to_string(device.backend), device.index, device.name), 0);
  const auto counts = ranks.gather(spans.size(), 0);
  const int request = ranks.tag(0), answer = ranks.tag(1);
  if (ranks.rank() != 0) {
    mpi::irecv(ranks, {}, 0, request).wait(mpi::WaitPolicy::sleeping());
    mpi::isend(ranks, std::as_bytes(std::span(spans)), 0, answer).wait(mpi::WaitPolicy::sleeping());
    return;
  }
  for (int rank = 0; rank < ranks.size(); ++rank) {
    RankTimeline timeline{.rank = rank, .host = hosts[rank], .device = devices[rank], .spans = {}};
    if (rank == 0) {
      timeline.spans = spans;
    } else {
      timeline.spans.resize(counts[rank]);
      mpi::isend(ranks, {}, rank, request).wait(mpi::WaitPolicy::sleeping());
      mpi::irecv(ranks, std::as_writable_bytes(std::span(timeline.spans)), rank, answer)
          .wait(mpi::WaitPolicy::sleeping());
    }
    take(std::move(timeline));
  }
}

namespace {

/// The latest of all. Of ranks that did not do equally often, which a run that ended in a zero
/// pivot may have left, nothing is known.
void latest(const mpi::Communicator& ranks, std::vector<double>& begins) {
  const auto count = static_cast<std::int64_t>(begins.size());
  if (ranks.all_reduce(count, mpi::Reduce::Min) != ranks.all_reduce(count, mpi::Reduce::Max))
    begins.clear();
  else
    ranks.all_reduce(begins, mpi::Reduce::Max);
}

}  // namespace

std::vector<PhaseTimes> gather_working_times(const ProcessGrid& grid,
                                             const std::vector<Span>& spans) {
  SharedBegins begins = shared_begins(spans);
  latest(grid.column(), begins.factorizations);
  latest(grid.column(), begins.row_swaps);
  latest(grid.row(), begins.broadcasts);
  begins.back_substitution = grid.all().all_reduce(begins.back_substitution, mpi::Reduce::Max);
  return grid.all().gather(working_times(spans, begins), 0);
}

std::optional<OtherProcesses> gather_others(const mpi::Communicator& ranks,
                                            const ProcessorTime& used, double seconds) {
  // Hosts count in hundredths of a second.
  constexpr double kLeastSeconds = 1;
  std::map<std::string, ProcessorTime> hosts;
  for (const std::string& packed : ranks.gather_text(pack(used), 0)) {
    const auto of_rank = unpack<ProcessorTime>(packed);
    ProcessorTime& host = hosts[of_rank.host];
    host.cores = of_rank.cores;
    host.all = std::max(host.all, of_rank.all);
    host.own += of_rank.own;
    host.beside = std::max(host.beside, of_rank.beside);
  }
  std::optional<OtherProcesses> busiest;
  for (const auto& [name, host] : hosts) {
    if (host.all <= 0 || seconds < kLeastSeconds) continue;
    const double share =
        std::clamp((host.all - host.own - host.beside) / (host.cores * seconds), 0.0, 1.0);
    if (!busiest || share > busiest->share) busiest = {name, share};
  }
  return busiest;
}

std::vector<DeviceTelemetry> gather_devices(const mpi::Communicator& ranks,
                                            const hpcx::DeviceProperties& device,
                                            const TelemetrySummary& sensors) {
  const DeviceTelemetry mine{.rank = ranks.rank(),
                             .host = mpi::host_name(),
                             .backend = std::string(to_string(device.backend)),
                             .device_index = device.index,
                             .device = device.name,
                             .sensors = sensors};
  std::vector<DeviceTelemetry> all;
  for (const std::string& text : ranks.gather_text(pack(mine), 0))
    all.push_back(unpack<DeviceTelemetry>(text));
  return all;
}

std::vector<HostEvents> gather_host_events(const mpi::Communicator& ranks,
                                           const std::optional<hpcx::EventCounts>& mine) {
  std::vector<HostEvents> hosts;
  for (const std::string& text :
       ranks.gather_text(mine ? pack(HostEvents{mpi::host_name(), *mine}) : "", 0))
    if (!text.empty()) hosts.push_back(unpack<HostEvents>(text));
  return hosts;
}

std::optional<PeakRate> gather_peak(const mpi::Communicator& ranks,
                                    const std::optional<PeakRate>& mine) {
  const std::vector<double> rates = ranks.gather(mine ? mine->gflops : 0.0, 0);
  const std::vector<std::string> sources = ranks.gather_text(mine ? mine->source : "", 0);
  std::vector<std::optional<PeakRate>> all(rates.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (rates[rank] > 0) all[rank] = PeakRate{rates[rank], sources[rank]};
  return sum_of(all);
}

CoreClock CoreClock::now() {
  const auto seconds = [](auto time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
  };
  return {seconds(std::chrono::steady_clock::now()), seconds(std::chrono::system_clock::now())};
}

void add_core_power(TelemetrySummary& sensors, const CorePower& core, std::span<const Span> spans) {
  const double begin = core.begin.steady_seconds;
  sensors.core_power = power_averages(core.samples, begin, begin + core.seconds);
  if (sensors.core_power) sensors.phase_joules = phase_energies(core.samples, begin, spans);
}

RunPower gather_power(const mpi::Communicator& ranks, const CorePower& core,
                      const std::vector<DeviceTelemetry>& devices) {
  const double began = core.begin.unix_seconds;
  RunPower power{.begin = began,
                 .end = began + core.seconds,
                 .utc_offset = zoned(began).zone_offset_seconds,
                 .nodes = 0};
  power.components = component_power(devices);
  power.nodes = node_count(devices);
  // The trace of all is added up on the way; of a device that ranks share, one of them counts.
  std::vector<char> counts(static_cast<std::size_t>(ranks.size()), 0);
  if (power.components)
    for (const DeviceTelemetry& device : distinct_devices(devices))
      counts[device.rank] = 1;
  ranks.broadcast(std::as_writable_bytes(std::span(counts)), 0);
  if (std::ranges::count(counts, 1) == 0) return power;
  const auto length = static_cast<std::size_t>(std::max(0.0, std::ceil(core.seconds)));
  std::vector<double> sums(2 * length, 0);  // of watts, of devices that know them
  if (counts[ranks.rank()] != 0) {
    const double begin = core.begin.steady_seconds;
    const auto trace = power_by_second(core.samples, begin, begin + core.seconds);
    for (std::size_t i = 0; i < std::min(length, trace.size()); ++i) {
      sums[i] = trace[i].value_or(0);
      sums[length + i] = trace[i] ? 1 : 0;
    }
  }
  ranks.all_reduce(std::span(sums), mpi::Reduce::Sum);
  if (!power.components) return power;
  const auto counted = static_cast<double>(std::ranges::count(counts, 1));
  for (std::size_t i = 0; i < length; ++i)
    power.components->trace.push_back(sums[length + i] == counted ? std::optional(sums[i])
                                                                  : std::nullopt);
  return power;
}

ChecksumResult gather_checksums(const mpi::Communicator& ranks, const StepChecksums& mine,
                                std::int64_t interval, std::int64_t end) {
  ChecksumResult result{.interval = interval,
                        .faults = ranks.gather(mine.fault().value_or(ChecksumFault{}), 0)};
  for (std::size_t rank = 0; rank < result.faults.size(); ++rank)
    result.faults[rank].rank = static_cast<int>(rank);
  std::erase_if(result.faults, [&](const ChecksumFault& fault) {
    return fault.rows == 0 || fault.last_step >= end;
  });
  std::ranges::stable_sort(result.faults, {}, &ChecksumFault::last_step);
  constexpr std::int64_t kNoTail = -1;
  std::vector<std::int64_t> counts = ranks.gather(mine.comparisons(end).value_or(kNoTail), 0);
  std::erase(counts, kNoTail);
  if (!counts.empty()) result.comparisons = std::ranges::min(counts);
  return result;
}

}  // namespace hpl
