#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gemm/plan/plan.h"
#include "gemm/run/stage.h"
#include "gemm/run/work_split.h"
#include "hpcx/device.h"

namespace hpl::gemm {

using Clock = std::chrono::steady_clock;

/// C := alpha A B + beta C in host memory.
struct Operands {
  hpcx::ConstMatrixView a, b;
  hpcx::MatrixView c;
  double alpha = 1, beta = 0;

  /// Some columns of C and what they need.
  Operands col_range(std::int64_t first, std::int64_t count) const {
    return {a, b.col_range(first, count), c.col_range(first, count), alpha, beta};
  }
};

/// Stages that take place; the others are left out, to measure these alone.
struct ActiveStages {
  bool load = true, product = true, store = true;
};

struct DeviceRun {
  std::vector<StageSpan> spans;
  double seconds = 0;  ///< from the start of the run to the last store
  double flops = 0;
};

/// Device memory and streams for a plan, and its execution. Used by one thread at a time.
class DevicePipeline {
 public:
  /// `pageable`: the matrices are not pinned and go through a bounded area of pinned memory, in two
  /// stages more. Throws OutOfMemory.
  DevicePipeline(hpcx::Device& device, Plan plan, bool pageable);
  ~DevicePipeline();

  const Plan& plan() const;
  hpcx::Device& device() const;
  /// Blocks in the order of the plan, for a WorkSplit.
  std::vector<WorkSplit::Block> blocks() const;
  /// Pinned memory through which pageable matrices go; 0 where none could be had: then the driver
  /// copies.
  std::int64_t staging_bytes() const;

  /// Computes the blocks that it claims from `work`, at most `most_blocks`, and waits for them.
  /// Times count from `start`. Throws what the device throws.
  DeviceRun run(const Operands& operands, WorkSplit& work, Clock::time_point start,
                ActiveStages active = {}, std::int64_t most_blocks = -1);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Device memory of a pipeline besides that of its plan: the streams' own.
std::int64_t stream_bytes(const hpcx::Device& device, const PlanSpec& spec);

}  // namespace hpl::gemm
