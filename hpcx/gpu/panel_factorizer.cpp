#include "gpu/panel_factorizer.h"

#include <algorithm>
#include <string>

#include "gpu/check.h"
#include "gpu/panel_kernel.h"
#include "gpu/panel_vendor.h"
#include "hpcx/error.h"

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

/// Below this many rows the launches and products of windows cost more than one long launch.
constexpr int kRowsForWindows = 16384;
constexpr int kWindow = 128;

constexpr int kClusterWindow = 128;

int quotient(int a, int b) {
  return (a + b - 1) / b;
}

ClusterLaunch cluster_launch(int rows_per_thread, int blocks) {
  return {.kernel = cluster_panel_kernel(rows_per_thread),
          .blocks = blocks,
          .threads = kPanelThreads,
          .shared_bytes = cluster_panel_shared_bytes()};
}

/// The largest cluster of at most `blocks` that the device takes; 0 if it takes none.
int usable_cluster(int blocks) {
  for (; blocks > 1; blocks /= 2) {
    bool fits = true;
    for (int rows = 1; rows <= kMaxClusterRowsPerThread; rows *= 2)
      fits = fits && cluster_fits(cluster_launch(rows, blocks));
    if (fits) return blocks;
  }
  return 0;
}

}  // namespace

PanelTuning make_panel_tuning(int compute_units, int multiprocessors) {
  const int limit = std::min(multiprocessors, kMaxPanelBlocks);
  if (compute_units <= 0)
    return {.blocks = limit,
            .multiprocessors = limit,
            .window = kWindow,
            .cooperative = true,
            .cluster_blocks = kMaxClusterBlocks,
            .cluster_window = kClusterWindow};
  // Blocks that wait for a place behind a running product get it as soon as that product's blocks
  // end, one after the other: all need not be free at the same moment.
  return {.blocks = std::min(compute_units, limit),
          .multiprocessors = limit,
          .window = kWindow,
          .cooperative = false};
}

struct PanelFactorizer::Job {
  gpuStream_t stream;
  const Panel& panel;
  const Subtract& subtract;
  PanelWindow window;
  bool in_cluster = false;
};

PanelFactorizer::PanelFactorizer(const PanelTuning& tuning, std::uint64_t* exchange)
    : tuning_(tuning), exchange_(exchange) {
  HPCX_ASSERT(tuning.blocks >= 1 && tuning.blocks <= tuning.multiprocessors);
  HPCX_ASSERT(tuning.multiprocessors <= kMaxPanelBlocks);
  HPCX_ASSERT(tuning.window >= 0 && tuning.window % kLeafWidth == 0);
  HPCX_ASSERT(tuning.cluster_window >= 0 && tuning.cluster_window % kLeafWidth == 0);
  HPCX_ASSERT(tuning.cluster_blocks >= 0 && tuning.cluster_blocks <= kMaxClusterBlocks);
  tuning_.cluster_blocks = usable_cluster(tuning.cluster_blocks);
  for (int rows = 2; rows <= kMaxRowsPerThread; rows *= 2) {
    const void* kernel = panel_kernel(rows);
    HPCX_CHECK(gpuFuncSetAttribute(kernel, gpuFuncAttributeMaxDynamicSharedMemorySize,
                                   panel_shared_bytes()));
    int resident = 0;
    HPCX_CHECK(gpuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kPanelThreads,
                                                            panel_shared_bytes()));
    if (resident < 1) throw Error("the panel kernel does not fit on a multiprocessor");
  }
}

void PanelFactorizer::factorize(gpuStream_t stream, const Panel& panel, const Subtract& subtract) {
  const MatrixView& a = panel.matrix;
  if (a.empty()) {
    HPCX_CHECK(gpuMemsetAsync(panel.zero_column, 0xff, sizeof *panel.zero_column, stream));
    return;
  }
  HPCX_ASSERT(a.layout == Layout::ColumnMajor && a.ld >= a.rows);
  if (a.rows > std::int64_t{tuning_.multiprocessors} * kMaxRowsPerBlock)
    throw Error("a panel of " + std::to_string(a.rows) +
                " rows is more than the device's multiprocessors hold");
  const auto rows = static_cast<int>(a.rows);
  const auto cols = static_cast<int>(a.cols);
  // A panel wider than tall is only ever the matrix's last: small, and its right part has U alone.
  const bool in_cluster = rows <= max_cluster_rows(tuning_.cluster_blocks);
  const int window = in_cluster               ? tuning_.cluster_window
                     : rows < kRowsForWindows ? 0
                                              : tuning_.window;
  const bool whole = window == 0 || rows < cols;
  const int width = whole ? quotient(cols, kLeafWidth) * kLeafWidth : window;
  const int count = quotient(cols, width);
  HPCX_ASSERT(count <= kMaxPanelWindows);

  Job job{.stream = stream,
          .panel = panel,
          .subtract = subtract,
          .window = {},
          .in_cluster = in_cluster};
  job.window.a = a.data;
  job.window.ld = a.ld;
  job.window.rows = rows;
  job.window.cols = cols;
  job.window.width = width;
  job.window.pivots = panel.pivots;
  job.window.zero_column = panel.zero_column;
  job.window.exchange = exchange_;
  factorize_windows(job, 0, count);
}

void PanelFactorizer::factorize_windows(Job& job, int first, int count) {
  if (count == 1) {
    launch(job, first);
    return;
  }
  const int half = (count + 1) / 2;
  factorize_windows(job, first, half);

  // A(below, right) -= L(below, left) U(left, right); the kernel has exchanged the rows of the
  // right part and computed U with its own windows' share of this very update.
  const int width = job.window.width;
  const std::int64_t left = std::int64_t{first} * width;
  const std::int64_t middle = std::int64_t{first + half} * width;
  const std::int64_t right =
      std::min<std::int64_t>(std::int64_t{first + count} * width, job.window.cols);
  const MatrixView a = job.panel.matrix;
  job.subtract(a.block(middle, middle, a.rows - middle, right - middle),
               a.block(middle, left, a.rows - middle, middle - left),
               a.block(left, middle, middle - left, right - middle));
  for (int w = first + half; w < first + count; ++w)
    job.window.update_start[w] = static_cast<int>(middle);

  factorize_windows(job, first + half, count - half);
}

void PanelFactorizer::launch(Job& job, int window) {
  PanelWindow& w = job.window;
  w.first = window * w.width;
  w.last = std::min(w.first + w.width, w.cols);
  w.sequence = sequence_;
  sequence_ += sequence_steps(w.last - w.first);
  void* arguments[] = {&w};
  if (job.in_cluster) {
    const RowSplit split = split_rows_in_cluster(w.rows - w.first, tuning_.cluster_blocks);
    w.rows_per_block = split.rows_per_block;
    HPCX_CHECK(HPCX_GPU_NAMESPACE::launch(cluster_launch(split.rows_per_thread, split.blocks),
                                          arguments, job.stream));
    return;
  }
  const RowSplit split = split_rows(w.rows - w.first, tuning_.blocks);
  w.rows_per_block = split.rows_per_block;

  const void* kernel = panel_kernel(split.rows_per_thread);
  const dim3 grid(static_cast<unsigned>(split.blocks)), block(kPanelThreads);
  const auto shared_bytes = static_cast<unsigned>(panel_shared_bytes());
  if (tuning_.cooperative)
    HPCX_CHECK(
        gpuLaunchCooperativeKernel(kernel, grid, block, arguments, shared_bytes, job.stream));
  else
    HPCX_CHECK(gpuLaunchKernel(kernel, grid, block, arguments, shared_bytes, job.stream));
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
