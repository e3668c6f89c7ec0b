#pragma once

#include <span>
#include <string_view>

namespace hpl {

/// The measurements of the pre-flight check, in the order in which they are shown.
enum class Metric {
  HostDgemm,             ///< matrix products of the rank's cores
  DeviceDgemmBurst,      ///< matrix products of the device, best short stretch
  DeviceDgemmSustained,  ///< the same when the device is hot
  DeviceMemory,          ///< copy within device memory, bytes read and written
  HostToDevice,          ///< copy out of pinned host memory
  DeviceToHost,          ///< copy into pinned host memory
  RowLatency,            ///< neighbours of a process row
  RowBandwidth,
  ColumnLatency,  ///< neighbours of a process column
  ColumnBandwidth,
  PairLatency,  ///< two ranks of a node, all pairs
  PairBandwidth,
  DevicePairBandwidth,     ///< the devices of two ranks of a node, through each other's memory
  DeviceMessageBandwidth,  ///< the same by MPI, given addresses of device memory
  NodeLatency,             ///< two nodes, all pairs
  NodeBandwidth,
  NodeDeviceBandwidth,  ///< their devices, by the transport of a run
  ClockOffset,          ///< of a node's calendar clock against that of rank 0's node
  FreeMemory,           ///< for this rank, in the memory of its matrix
  Clock,                ///< of the device while it multiplies
  PowerLimit,           ///< that the device is held to
  Power,                ///< that the device draws while it multiplies
  Temperature,          ///< of the device while it multiplies
};
inline constexpr int kMetricCount = 23;

/// The good values of a metric.
enum class Better {
  Higher,
  Lower,
  NearZero,  ///< judged by its magnitude, see MetricInfo::limit, not against the others
  Neither,   ///< shown, not judged
};

/// The owner of a value. Values are compared among processors, or devices, of one model, and among
/// links of one kind: inside a NUMA node, inside a node, between nodes.
enum class Owner { Processor, Device, Link };

struct MetricInfo {
  std::string_view name;   ///< in JSON
  std::string_view label;  ///< in tables
  std::string_view unit;
  Better better;
  Owner owner;
  /// The tolerance counts so many times: figures of links scatter more than those of processors.
  double slack = 1;
  /// A difference that never counts, in the metric's unit.
  double noise = 0;
  /// Better::NearZero: the largest magnitude that is in order.
  double limit = 0;
  Metric value{};
};
const MetricInfo& info(Metric metric);
/// By the number of the metric: a table of choices.
std::span<const MetricInfo> all_metrics();

}  // namespace hpl
