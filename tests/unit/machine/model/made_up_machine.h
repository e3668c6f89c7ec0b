#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hpl/machine/model/prediction.h"
#include "hpl/machine/model/rates.h"

namespace hpl::test {

inline constexpr double kNoTime = 1e-12;  // seconds
inline constexpr double kNoLimit = 1e15;  // GFLOP/s, GB/s

/// The same for every size.
inline RateTable always(std::size_t axes, double value) {
  std::size_t corners = 1;
  for (std::size_t axis = 0; axis < axes; ++axis)
    corners *= 2;
  return {std::vector<std::vector<double>>(axes, {1, 1e12}), std::vector<double>(corners, value)};
}

/// A machine on which products alone take time: 1000 GFLOP/s whatever their size.
inline Rates only_products() {
  Rates rates;
  rates.origin = "data sheet";
  rates.machine = "made up";
  rates.kind = ProcessorKind::Gpu;
  rates.ranks_per_node = 64;
  rates.product_gflops = always(3, 1000);
  rates.device_panel = PanelRates{always(2, kNoTime), always(1, kNoTime)};
  rates.solve_gflops = always(2, kNoLimit);
  rates.row_copy_gbytes = always(1, kNoLimit);
  rates.memory_gbytes = kNoLimit;
  rates.plan_seconds = kNoTime;
  rates.links = {
      {.place = LinkPlace::InNode, .transport = "mpi-device", .seconds = always(1, kNoTime)},
      {.place = LinkPlace::BetweenNodes, .transport = "mpi-device", .seconds = always(1, kNoTime)}};
  rates.shared.product_beside_solve = 1;
  return rates;
}

/// Latency, and time in proportion beyond a kilobyte.
inline RateTable messages(double latency, double gbytes) {
  return {{{1, 1e3, 1e6, 1e9}},
          {latency, latency + 1e3 / (1e9 * gbytes), latency + 1e6 / (1e9 * gbytes),
           latency + 1 / gbytes}};
}

/// A cluster of nodes with eight GPUs, about as fast as H100.
inline std::string gpu_cluster_sheet() {
  return R"({"schema_version": 1, "kind": "machine", "name": "made up", "nodes": 8,
    "accelerator": {"model": "made up", "peak_gflops": 66900, "memory_bytes": 80e9,
      "memory_gbytes_per_second": 3000,
      "product": {"block_sizes": [256, 1024, 2048], "gflops": [43000, 53000, 55000]},
      "panel": {"column_seconds": 7e-6, "gflops": 15000}, "power_watts": 700},
    "host": {"model": "made up", "cores": 96, "product_gflops": 4000, "power_watts": 2000},
    "node": {"accelerators": 8, "link_gbytes_per_second": 350, "nics": 8,
      "nic_gbits_per_second": 400}})";
}

inline RunSpec spec_of(std::int64_t order, std::int64_t block_size, int rows = 1, int columns = 1) {
  return {.order = order, .block_size = block_size, .grid_rows = rows, .grid_columns = columns};
}

}  // namespace hpl::test
