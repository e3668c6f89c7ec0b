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
constexpr int kWindowAlone = 256;

int quotient(int a, int b) {
  return (a + b - 1) / b;
}

}  // namespace

PanelTuning make_panel_tuning(int compute_units, int multiprocessors) {
  const int limit = std::min(multiprocessors, kMaxPanelBlocks);
  if (compute_units <= 0)
    return {.blocks = limit, .multiprocessors = limit, .window = kWindowAlone, .cooperative = true};
  // Blocks that wait for a place behind a running product get it as soon as that product's blocks
  // end, one after the other: all need not be free at the same moment.
  return {.blocks = std::min(compute_units, limit),
          .multiprocessors = limit,
          .window = 0,
          .cooperative = false};
}

struct PanelFactorizer::Job {
  gpuStream_t stream;
  const Panel& panel;
  const Subtract& subtract;
  PanelWindow window;
};

PanelFactorizer::PanelFactorizer(const PanelTuning& tuning, std::uint64_t* exchange)
    : tuning_(tuning), exchange_(exchange) {
  HPCX_ASSERT(tuning.blocks >= 1 && tuning.blocks <= tuning.multiprocessors);
  HPCX_ASSERT(tuning.multiprocessors <= kMaxPanelBlocks);
  HPCX_ASSERT(tuning.window >= 0 && tuning.window % kLeafWidth == 0);
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
  const bool whole = tuning_.window == 0 || rows < std::max(cols, kRowsForWindows);
  const int width = whole ? quotient(cols, kLeafWidth) * kLeafWidth : tuning_.window;
  const int count = quotient(cols, width);
  HPCX_ASSERT(count <= kMaxPanelWindows);

  Job job{.stream = stream, .panel = panel, .subtract = subtract, .window = {}};
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
  const RowSplit split = split_rows(w.rows - w.first, tuning_.blocks);
  w.rows_per_block = split.rows_per_block;

  const void* kernel = panel_kernel(split.rows_per_thread);
  const dim3 grid(static_cast<unsigned>(split.blocks)), block(kPanelThreads);
  const auto shared_bytes = static_cast<unsigned>(panel_shared_bytes());
  void* arguments[] = {&w};
  if (tuning_.cooperative)
    HPCX_CHECK(
        gpuLaunchCooperativeKernel(kernel, grid, block, arguments, shared_bytes, job.stream));
  else
    HPCX_CHECK(gpuLaunchKernel(kernel, grid, block, arguments, shared_bytes, job.stream));
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
