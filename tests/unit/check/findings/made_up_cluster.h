#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "check/probes/pairing.h"
#include "hpl/check/findings/record.h"

namespace hpl::test {

/// A sound rank of a cluster of nodes with `ranks_per_node` GPUs each.
inline RankRecord sound_rank(int rank, int ranks_per_node) {
  const int local = rank % ranks_per_node;
  RankRecord record{.rank = rank,
                    .node = rank / ranks_per_node,
                    .host = fmt::format("node{:03}", rank / ranks_per_node),
                    .processor = "Xeon",
                    .device = fmt::format("cuda {}", local),
                    .device_model = "NVIDIA H200",
                    .blas_kernel = "SkylakeX",
                    .thread_level = mpi::ThreadLevel::Multiple,
                    .cores = {2 * local, 2 * local + 1},
                    .bound = true,
                    .free_bytes = 140'000'000'000,
                    .memory_source = "free memory of the device",
                    .needed_bytes = 130'000'000'000};
  record.health.uncorrected_errors = 0;
  // Up to half a percent apart, never equal.
  const double wobble = 1 + 0.005 * ((rank * 37) % 101 - 50) / 50.0;
  record.measurements = {{Figure::HostDgemm, kNoPeer, 80 * wobble},
                         {Figure::DeviceDgemmSustained, kNoPeer, 53000 * wobble},
                         {Figure::DeviceMemory, kNoPeer, 55 * wobble},
                         {Figure::DeviceTemperature, kNoPeer, 60 * wobble}};
  return record;
}

inline std::vector<RankRecord> sound_cluster(int nodes, int ranks_per_node) {
  std::vector<RankRecord> ranks;
  for (int rank = 0; rank < nodes * ranks_per_node; ++rank)
    ranks.push_back(sound_rank(rank, ranks_per_node));
  // One rank of each node measures with each other node; the lower rank has the figures.
  for (int a = 0; a < nodes; ++a)
    for (int b = a + 1; b < nodes; ++b) {
      const double wobble = 1 + 0.03 * ((a * 31 + b * 17) % 101 - 50) / 50.0;
      auto& measurements = ranks[static_cast<std::size_t>(a * ranks_per_node)].measurements;
      measurements.push_back({Figure::NodeLatency, b * ranks_per_node, 1.8 * wobble});
      measurements.push_back({Figure::NodeBandwidth, b * ranks_per_node, 24 * wobble});
      measurements.push_back({Figure::NodeDeviceBandwidth, b * ranks_per_node, 46 * wobble});
    }
  return ranks;
}

/// The figure of a metric of a rank, or of one of its links, to be changed.
inline double& figure(std::vector<RankRecord>& ranks, Figure metric, int rank, int peer = kNoPeer) {
  for (Measurement& m : ranks.at(static_cast<std::size_t>(rank)).measurements)
    if (m.metric == metric && m.peer == peer) return m.value;
  throw std::out_of_range("no such figure");
}

/// The same after the deep check: a few figures of each kind.
inline std::vector<RankRecord> deeply_checked_cluster(int nodes, int ranks_per_node) {
  std::vector<RankRecord> ranks = sound_cluster(nodes, ranks_per_node);
  for (RankRecord& rank : ranks) {
    const double wobble = 1 + 0.005 * ((rank.rank * 53) % 101 - 50) / 50.0;
    const auto add = [&](const char* key, bool of_device, double rate) {
      rank.deep.push_back({.key = key,
                           .label = fmt::format("figure {}", key),
                           .unit = "GB/s",
                           .of_device = of_device,
                           .value = rate * wobble});
    };
    add("host_first_touch", false, 2);
    add("copy_in_alone", true, 55);
    add("copy_in_together", true, 40);
    rank.deep.back().share = 0.73;
    rank.deep.push_back({.key = "device_context",
                         .label = "device context",
                         .unit = "ms",
                         .of_device = true,
                         .lower_is_better = true,
                         .value = 230 * wobble});
  }
  return ranks;
}

inline DeepFigure& deep_figure(std::vector<RankRecord>& ranks, std::string_view key, int rank) {
  for (DeepFigure& figure : ranks.at(static_cast<std::size_t>(rank)).deep)
    if (figure.key == key) return figure;
  throw std::out_of_range("no such figure");
}

}  // namespace hpl::test
