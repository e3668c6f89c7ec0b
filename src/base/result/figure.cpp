#include "hpl/base/result/figure.h"

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/text/quantity.h"

namespace hpl {
namespace {

/// Latencies inside a node are a fraction of a microsecond, and depend on the caches that two cores
/// share.
constexpr double kLatencyNoise = 1;

/// Seconds by which clocks of nodes may differ: what a time service keeps is a thousandth of it.
constexpr double kClockOffsetLimit = 0.1;

/// Events: up to `few` of them, and `hourly` more in an hour, are in order.
constexpr FigureInfo event(Figure figure, std::string_view name, std::string_view label,
                           Owner owner, Action action, double few = 0, double hourly = 0) {
  return {figure, name, label, "", Better::NearZero, owner, 1, few, true, true, hourly, action};
}

// Columns: figure, name, label, unit, better, owner, slack, noise, points, explains.
constexpr std::array<FigureInfo, kFigureCount> kFigures{{
    {Figure::HostDgemm, "host_dgemm", "host DGEMM, a core", "GFLOP/s", Better::Higher,
     Owner::Processor},
    {Figure::DeviceDgemmBurst, "device_dgemm_burst", "device DGEMM, burst", "GFLOP/s",
     Better::Higher, Owner::Device},
    {Figure::DeviceDgemmSustained, "device_dgemm_sustained", "device DGEMM, sustained", "GFLOP/s",
     Better::Higher, Owner::Device},
    {Figure::DeviceMemory, "device_memory", "device memory copy", "GB/s", Better::Higher,
     Owner::Device},
    {Figure::HostToDevice, "host_to_device", "host to device", "GB/s", Better::Higher,
     Owner::Device, 2},
    {Figure::DeviceToHost, "device_to_host", "device to host", "GB/s", Better::Higher,
     Owner::Device, 2},
    {Figure::RowLatency, "row_latency", "MPI latency, rows", "us", Better::Lower, Owner::Link, 10,
     kLatencyNoise},
    {Figure::RowBandwidth, "row_bandwidth", "MPI bandwidth, rows", "GB/s", Better::Higher,
     Owner::Link, 4},
    {Figure::ColumnLatency, "column_latency", "MPI latency, columns", "us", Better::Lower,
     Owner::Link, 10, kLatencyNoise},
    {Figure::ColumnBandwidth, "column_bandwidth", "MPI bandwidth, columns", "GB/s", Better::Higher,
     Owner::Link, 4},
    {Figure::PairLatency, "pair_latency", "MPI latency, in a node", "us", Better::Lower,
     Owner::Link, 10, kLatencyNoise},
    {Figure::PairBandwidth, "pair_bandwidth", "MPI bandwidth, in a node", "GB/s", Better::Higher,
     Owner::Link, 4},
    {Figure::DevicePairBandwidth, "device_pair_bandwidth", "device to device", "GB/s",
     Better::Higher, Owner::Link, 2},
    {Figure::DeviceMessageBandwidth, "device_message_bandwidth", "MPI, device to device", "GB/s",
     Better::Higher, Owner::Link, 4},
    {Figure::NodeLatency, "node_latency", "MPI latency, nodes", "us", Better::Lower, Owner::Link,
     10, kLatencyNoise},
    {Figure::NodeBandwidth, "node_bandwidth", "MPI bandwidth, nodes", "GB/s", Better::Higher,
     Owner::Link, 4},
    {Figure::NodeDeviceBandwidth, "node_device_bandwidth", "device to device, nodes", "GB/s",
     Better::Higher, Owner::Link, 4},
    {Figure::ClockOffset, "clock_offset", "clock offset of a node", "s", Better::NearZero,
     Owner::Processor, 1, 0, false, false, kClockOffsetLimit},
    {Figure::FreeMemory, "free_memory", "free memory, a rank", "GB", Better::Higher, Owner::Device,
     4},
    {Figure::DeviceClock, "clock", "clock under load", "MHz", Better::Higher, Owner::Device},
    {Figure::PowerLimit, "power_limit", "power limit", "W", Better::Higher, Owner::Device},
    {Figure::DevicePower, "power", "power under load", "W", Better::Neither, Owner::Device},
    {Figure::DeviceTemperature, "temperature", "temperature under load", "C", Better::Neither,
     Owner::Device},
    {Figure::Gflops, "gflops", "rate", "GFLOP/s", Better::Higher, Owner::Member},
    {Figure::WorstRun, "worst_run_percent", "slowest run below the median", "%", Better::Lower,
     Owner::Member, 1, 1, true},
    {Figure::Drift, "drift_percent", "loss of rate over the runs", "%", Better::Lower,
     Owner::Member, 1, 1, true},
    {Figure::Efficiency, "efficiency_percent", "share of attainable", "%", Better::Neither,
     Owner::Member, 1, 0, true},
    {Figure::Clock, "clock_mhz", "clock", "MHz", Better::Higher, Owner::Member, 0.6, 15, false,
     true},
    {Figure::Power, "power_watts", "power", "W", Better::Neither, Owner::Member},
    {Figure::Temperature, "temperature_celsius", "temperature", "C", Better::Lower, Owner::Member,
     2, 5, true, true},
    {Figure::Throttled, "throttled_percent", "samples throttled", "%", Better::Lower, Owner::Member,
     4, 5, true, true},
    {Figure::CorrectedErrors, "corrected_errors", "corrected memory errors", "", Better::Lower,
     Owner::Member, 0, 0, true, true},
    // Columns: figure, name, label, owner, action, few, hourly. ECC, replays and retries mend
    // errors by design, so a few are in order.
    event(Figure::UncorrectedMemory, "uncorrected_memory", "uncorrected memory errors",
          Owner::Device, Action::Isolate),
    event(Figure::RemapFailed, "remap_failed", "failed remappings of memory", Owner::Device,
          Action::Isolate),
    event(Figure::RemapPending, "remap_pending", "remappings of memory that wait for a reset",
          Owner::Device, Action::Reset),
    event(Figure::LinksLost, "links_lost", "lost links between devices", Owner::Device,
          Action::Isolate),
    event(Figure::DriverErrors, "driver_errors", "driver errors (Xid)", Owner::Device,
          Action::Monitor),
    event(Figure::RowsRemapped, "rows_remapped", "remapped rows of memory", Owner::Device,
          Action::Monitor),
    event(Figure::CorrectedMemory, "corrected_memory", "corrected memory errors", Owner::Device,
          Action::Monitor, 10, 60),
    // A link that recovers is trained anew, and all its messages wait.
    event(Figure::LinkRecoveries, "link_recoveries", "recoveries of links between devices",
          Owner::Device, Action::Monitor, 1),
    event(Figure::LinkReplays, "link_replays", "replays on links between devices", Owner::Device,
          Action::Monitor, 10, 60),
    // A repetition mends them, and traffic brings more: sound devices had up to 340 a second.
    {Figure::LinkCrcErrors, "link_crc_errors", "CRC errors on links between devices", "",
     Better::Neither, Owner::Device},
    // NVIDIA's health monitor (DCGM) minds 8 a minute.
    event(Figure::PcieReplays, "pcie_replays", "PCIe replays", Owner::Device, Action::Monitor, 8,
          8 * 60),
    event(Figure::NicLinkDowns, "nic_link_downs", "network links that went down or recovered",
          Owner::Processor, Action::Monitor),
    event(Figure::NicErrors, "nic_errors", "network errors", Owner::Processor, Action::Monitor, 10,
          60),
    event(Figure::NicDiscards, "nic_discards", "discarded network packets", Owner::Processor,
          Action::Monitor, 100, 600),
    // Its reason is the traffic of the network. No host is to blame.
    {Figure::NicWaits, "nic_waits", "ticks in which a network port could not send", "",
     Better::Neither, Owner::Processor},
}};

constexpr auto kFirstOfMembers = static_cast<std::size_t>(Figure::Gflops);
constexpr auto kFirstOfEvents = static_cast<std::size_t>(Figure::UncorrectedMemory);

constexpr bool in_order() {
  for (std::size_t i = 0; i < kFigures.size(); ++i)
    if (kFigures[i].value != static_cast<Figure>(i) ||
        (kFigures[i].owner == Owner::Member) != (i >= kFirstOfMembers && i < kFirstOfEvents))
      return false;
  return true;
}
static_assert(in_order());

}  // namespace

const FigureInfo& info(Figure figure) {
  return kFigures[static_cast<std::size_t>(figure)];
}

constinit const std::span<const FigureInfo> kAllFigures = std::span(kFigures).first(kFirstOfEvents);
constinit const std::span<const FigureInfo> kCheckFigures =
    std::span(kFigures).first(kFirstOfMembers);
constinit const std::span<const FigureInfo> kMemberFigures =
    std::span(kFigures).subspan(kFirstOfMembers, kFirstOfEvents - kFirstOfMembers);
constinit const std::span<const FigureInfo> kEventFigures =
    std::span(kFigures).subspan(kFirstOfEvents);
constinit const std::span<const FigureInfo> kFindingFigures = kFigures;

FigureScale scale_of(Figure figure, double usual) {
  if (figure != Figure::Gflops) return {1, info(figure).unit};
  const RateUnit unit = rate_unit(usual);
  return {unit.gflops, unit.name};
}

std::string label_in(Figure figure, std::string_view unit) {
  return fmt::format("{}{}{}", info(figure).label, unit.empty() ? "" : ", ", unit);
}

void describe(Record& record, Figures& figures) {
  record.type("figures", "Over all runs of a member; null where there is no such figure.");
  for (const FigureInfo& about : kMemberFigures)
    record(about.name, figures[about.value]);
}

}  // namespace hpl
