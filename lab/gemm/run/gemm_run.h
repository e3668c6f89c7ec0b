#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gemm/run/device_pipeline.h"

namespace hpl::gemm {

/// A device with the columns of C that are its own, and what it computes them with.
struct DeviceShare {
  DevicePipeline* pipeline = nullptr;
  Operands operands;
  double rate = 0;  ///< flop/s, expected
};

/// The host's cores, as one that computes blocks.
struct HostShare {
  hpcx::Device* device = nullptr;
  double rate = 0;                   ///< flop/s, expected
  std::optional<double> fraction{};  ///< of the work; empty: what it can until it meets the devices
};

struct HostRun {
  std::vector<StageSpan> spans;
  double seconds = 0;  ///< from the start of the run to its last product
  double flops = 0;
};

struct GemmRun {
  double seconds = 0;
  std::vector<DeviceRun> devices;
  HostRun host;

  double flops() const;
  /// The time between the end of the first and of the last, in parts of the whole: devices, and the
  /// host if it computed.
  double imbalance() const;
  /// Seconds until the first product began, and from the end of the last one on.
  double fill() const, drain() const;
  StageTotal total(Stage stage) const;
};

struct RunLimits {
  ActiveStages active{};
  std::int64_t most_blocks = -1;  ///< of each device; the host stops when the devices do
};

/// All devices at once, each in a thread of its own, the host in the calling one. Throws the first
/// failure of a device, once all have stopped.
GemmRun run_gemm(const std::vector<DeviceShare>& shares, const std::optional<HostShare>& host,
                 const RunLimits& limits = {});

/// Rate of the host's products alone, on slices of these operands, for about `seconds`. Writes to
/// C.
double host_rate(hpcx::Device& host, const Operands& operands, double seconds);

}  // namespace hpl::gemm
