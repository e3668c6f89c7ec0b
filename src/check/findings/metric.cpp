#include "hpl/check/findings/metric.h"

#include <array>

namespace hpl {
namespace {

// Latencies inside a node are a fraction of a microsecond, and depend on which caches two cores
// share.
constexpr double kLatencyNoise = 1;

// Seconds by which clocks of nodes may differ: what a time service keeps is a thousandth of it.
constexpr double kClockOffsetLimit = 0.1;

/// In the order of the enumeration.
constexpr std::array<MetricInfo, kMetricCount> kRows{{
    {"host_dgemm", "host DGEMM, a core", "GFLOP/s", Better::Higher, Owner::Processor},
    {"device_dgemm_burst", "device DGEMM, burst", "GFLOP/s", Better::Higher, Owner::Device},
    {"device_dgemm_sustained", "device DGEMM, sustained", "GFLOP/s", Better::Higher, Owner::Device},
    {"device_memory", "device memory copy", "GB/s", Better::Higher, Owner::Device},
    {"host_to_device", "host to device", "GB/s", Better::Higher, Owner::Device},
    {"device_to_host", "device to host", "GB/s", Better::Higher, Owner::Device},
    {"row_latency", "MPI latency, rows", "us", Better::Lower, Owner::Link, 10, kLatencyNoise},
    {"row_bandwidth", "MPI bandwidth, rows", "GB/s", Better::Higher, Owner::Link, 4},
    {"column_latency", "MPI latency, columns", "us", Better::Lower, Owner::Link, 10, kLatencyNoise},
    {"column_bandwidth", "MPI bandwidth, columns", "GB/s", Better::Higher, Owner::Link, 4},
    {"pair_latency", "MPI latency, in a node", "us", Better::Lower, Owner::Link, 10, kLatencyNoise},
    {"pair_bandwidth", "MPI bandwidth, in a node", "GB/s", Better::Higher, Owner::Link, 4},
    {"device_pair_bandwidth", "device to device", "GB/s", Better::Higher, Owner::Link, 2},
    {"device_message_bandwidth", "MPI, device to device", "GB/s", Better::Higher, Owner::Link, 4},
    {"node_latency", "MPI latency, nodes", "us", Better::Lower, Owner::Link, 10, kLatencyNoise},
    {"node_bandwidth", "MPI bandwidth, nodes", "GB/s", Better::Higher, Owner::Link, 4},
    {"node_device_bandwidth", "device to device, nodes", "GB/s", Better::Higher, Owner::Link, 4},
    {"clock_offset", "clock offset of a node", "s", Better::NearZero, Owner::Processor, 1, 0,
     kClockOffsetLimit},
    {"free_memory", "free memory, a rank", "GB", Better::Higher, Owner::Device, 4},
    {"clock", "clock under load", "MHz", Better::Higher, Owner::Device},
    {"power_limit", "power limit", "W", Better::Higher, Owner::Device},
    {"power", "power under load", "W", Better::Neither, Owner::Device},
    {"temperature", "temperature under load", "C", Better::Neither, Owner::Device},
}};

constexpr auto kMetrics = [] {
  auto rows = kRows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].value = static_cast<Metric>(i);
  return rows;
}();

}  // namespace

const MetricInfo& info(Metric metric) {
  return kMetrics[static_cast<std::size_t>(metric)];
}

std::span<const MetricInfo> all_metrics() {
  return kMetrics;
}

}  // namespace hpl
