#include "panel/factorizer.h"

#include <algorithm>
#include <string>

#include "gpu/check.h"
#include "gpu/stream.h"
#include "hpcx/device.h"
#include "hpcx/error.h"
#include "panel/cluster_launch.h"
#include "panel/kernel.h"

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

constexpr int kWindow = 128;
/// Below so many rows the launches and products of windows cost more than one long launch; where
/// there are many windows, below the second number.
constexpr int kRowsForWindows = 16384;
constexpr int kRowsForManyWindows = 8193;
constexpr int kManyWindows = 8;

constexpr int kClusterWindow = 64;

/// One multiprocessor of so many is left free by a team's member.
constexpr int kTeamFractionLeftFree = 8;

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

void prepare(const void* kernel) {
  HPCX_CHECK(gpuFuncSetAttribute(kernel, gpuFuncAttributeMaxDynamicSharedMemorySize,
                                 panel_shared_bytes()));
  int resident = 0;
  HPCX_CHECK(gpuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kPanelThreads,
                                                          panel_shared_bytes()));
  if (resident < 1) throw Error("the panel kernel does not fit on a multiprocessor");
}

bool taller_than_one_launch(int rows, int cols) {
  return rows >= (cols >= kManyWindows * kWindow ? kRowsForManyWindows : kRowsForWindows);
}

void report_no_zero(StreamRef stream, const Panel& panel) {
  HPCX_CHECK(gpuMemsetAsync(panel.zero_column, 0xff, sizeof *panel.zero_column, native(stream)));
}

void cut(PanelWindow& window, const RowSplit& split) {
  window.rows_per_block = split.rows_per_block;
  window.block_factor = block_factor(split.rows_per_block);
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

PanelTuning make_team_tuning(int compute_units, int multiprocessors) {
  if (compute_units > multiprocessors)
    throw Error("a panel solver cannot occupy " + std::to_string(compute_units) +
                " multiprocessors of a device that has " + std::to_string(multiprocessors));
  const int limit = std::min(multiprocessors, kMaxTeamBlocks);
  const int blocks = compute_units > 0 ? std::min(compute_units, limit)
                                       : std::max(limit - limit / kTeamFractionLeftFree, 1);
  return {.blocks = blocks, .multiprocessors = blocks, .window = kWindow, .team = true};
}

struct PanelFactorizer::Job {
  StreamRef stream;
  const Panel& panel;
  PanelWindow window;
  bool in_cluster = false;
  const PanelTeam* team = nullptr;
};

PanelFactorizer::PanelFactorizer(const PanelTuning& tuning, std::uint64_t* exchange)
    : tuning_(tuning), exchange_(exchange) {
  HPCX_ASSERT(tuning.blocks >= 1 && tuning.blocks <= tuning.multiprocessors);
  HPCX_ASSERT(tuning.multiprocessors <= kMaxPanelBlocks);
  HPCX_ASSERT(tuning.window >= 0 && tuning.window % kLeafWidth == 0);
  HPCX_ASSERT(tuning.cluster_window >= 0 && tuning.cluster_window % kLeafWidth == 0);
  HPCX_ASSERT(tuning.cluster_blocks >= 0 && tuning.cluster_blocks <= kMaxClusterBlocks);
  tuning_.cluster_blocks = usable_cluster(tuning.cluster_blocks);
  for (int rows = 2; rows <= kMaxRowsPerThread; rows *= 2)
    prepare(panel_kernel(rows));
  // Loaded here, not at the first launch: that might wait for a kernel that waits for it.
  for (int rows = 2; tuning.team && rows <= kMaxRowsPerThread; rows *= 2) {
    prepare(team_panel_kernel(rows, false));
    prepare(team_panel_kernel(rows, true));
  }
}

void PanelFactorizer::factorize(StreamRef stream, const Panel& panel) {
  const MatrixView& a = panel.matrix;
  if (a.empty()) return report_no_zero(stream, panel);
  HPCX_ASSERT(a.layout == Layout::ColumnMajor && a.ld >= a.rows);
  if (a.rows > std::int64_t{tuning_.multiprocessors} * kPanelRowsPerUnit)
    throw Error("a panel of " + std::to_string(a.rows) +
                " rows is more than the device's multiprocessors hold");
  const auto rows = static_cast<int>(a.rows);
  const auto cols = static_cast<int>(a.cols);
  // A panel wider than tall is only ever the matrix's last: small, and its right part has U alone.
  const bool in_cluster = rows <= max_cluster_rows(tuning_.cluster_blocks);
  const int window = in_cluster                           ? tuning_.cluster_window
                     : taller_than_one_launch(rows, cols) ? tuning_.window
                                                          : 0;
  const int width = window_width(cols, rows < cols ? 0 : window);
  const int count = quotient(cols, width);
  HPCX_ASSERT(count <= kMaxPanelWindows);

  Job job{.stream = stream,
          .panel = panel,
          .window = whole_panel(panel, width),
          .in_cluster = in_cluster};
  job.window.exchange = exchange_;
  factorize_windows(job, 0, count);
}

void PanelFactorizer::connect(const PanelConnection& connection, GpuPanelProxy* proxy) {
  HPCX_ASSERT(tuning_.team && members_ == 0);
  HPCX_ASSERT(std::ssize(connection.mailboxes) <= kMaxGroupMembers);
  team_.group_size = static_cast<int>(connection.mailboxes.size());
  std::copy(connection.mailboxes.begin(), connection.mailboxes.end(),
            reinterpret_cast<void**>(team_.mailboxes));
  for (int group = 0; group < std::ssize(connection.groups); ++group) {
    const int begin = members_;
    members_ += connection.groups[static_cast<std::size_t>(group)];
    HPCX_ASSERT(members_ <= kMaxTeamMembers);
    std::fill(team_.group_of + begin, team_.group_of + members_, static_cast<unsigned char>(group));
    if (connection.me >= begin && connection.me < members_) team_.group_begin = begin;
  }
  team_.me = connection.me;
  proxy_ = proxy;
  if (proxy == nullptr) return;
  team_.outbox = proxy->outbox();
  team_.inbox = proxy->inbox();
}

void PanelFactorizer::factorize_shared(StreamRef stream, const Panel& panel,
                                       const PanelPart& share) {
  HPCX_ASSERT(share.owner >= 0 && share.owner < members_);
  const MatrixView& a = panel.matrix;
  HPCX_ASSERT(a.layout == Layout::ColumnMajor && a.ld >= a.rows);
  HPCX_ASSERT(a.cols <= a.rows && a.rows <= share.most_rows);
  if (a.cols == 0) return report_no_zero(stream, panel);
  if (share.most_rows > std::int64_t{tuning_.blocks} * kPanelRowsPerUnit)
    throw Error("a panel of " + std::to_string(share.most_rows) + " rows is more than " +
                std::to_string(tuning_.blocks) + " multiprocessors of each device hold; it takes " +
                std::to_string(panel_units_for(share.most_rows)));
  team_.owner = share.owner;
  team_.most_rows = static_cast<int>(share.most_rows);

  // As on one device, but every member decides by the rows of the one that has most.
  const auto cols = static_cast<int>(a.cols);
  const int width = window_width(cols, share.most_rows < kRowsForWindows ? 0 : tuning_.window);
  const int count = quotient(cols, width);
  HPCX_ASSERT(count <= kMaxPanelWindows);
  Job job{.stream = stream, .panel = panel, .window = whole_panel(panel, width), .team = &team_};
  factorize_windows(job, 0, count);
}

PanelWindow PanelFactorizer::whole_panel(const Panel& panel, int width) {
  PanelWindow window;
  window.a = panel.matrix.data;
  window.ld = panel.matrix.ld;
  window.rows = static_cast<int>(panel.matrix.rows);
  window.cols = static_cast<int>(panel.matrix.cols);
  window.width = width;
  window.pivots = panel.pivots;
  window.zero_column = panel.zero_column;
  return window;
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
  job.stream.device().blas().gemm(job.stream,
                                  {-1.0, a.block(middle, left, a.rows - middle, middle - left),
                                   a.block(left, middle, middle - left, right - middle), 1.0,
                                   a.block(middle, middle, a.rows - middle, right - middle)});
  for (int w = first + half; w < first + count; ++w)
    job.window.update_start[w] = static_cast<int>(middle);

  factorize_windows(job, first + half, count - half);
}

void PanelFactorizer::launch(Job& job, int window) {
  PanelWindow& w = job.window;
  w.first = window * w.width;
  w.last = std::min(w.first + w.width, w.cols);
  if (job.team != nullptr) {
    launch_in_team(job);
    return;
  }
  w.sequence = sequence_;
  sequence_ += sequence_steps(w.last - w.first);
  void* arguments[] = {&w};
  if (job.in_cluster) {
    const RowSplit split = split_rows_in_cluster(w.rows - w.first, tuning_.cluster_blocks);
    cut(w, split);
    HPCX_CHECK(HPCX_GPU_NAMESPACE::launch(cluster_launch(split.rows_per_thread, split.blocks),
                                          arguments, native(job.stream)));
    return;
  }
  const RowSplit split = split_rows(w.rows - w.first, tuning_.blocks);
  cut(w, split);

  const void* kernel = panel_kernel(split.rows_per_thread);
  const dim3 grid(static_cast<unsigned>(split.blocks)), block(kPanelThreads);
  const auto shared_bytes = static_cast<unsigned>(panel_shared_bytes());
  if (tuning_.cooperative)
    HPCX_CHECK(gpuLaunchCooperativeKernel(kernel, grid, block, arguments, shared_bytes,
                                          native(job.stream)));
  else
    HPCX_CHECK(gpuLaunchKernel(kernel, grid, block, arguments, shared_bytes, native(job.stream)));
}

void PanelFactorizer::launch_in_team(Job& job) {
  PanelWindow& w = job.window;
  w.sequence = team_sequence_;
  // The next launch's first column has the parity that follows the last one's.
  const auto columns = static_cast<unsigned>(w.last - w.first);
  team_sequence_ += sequence_steps(w.last - w.first) + columns % 2;
  const RowSplit split = split_rows(team_.most_rows - w.first, tuning_.blocks);
  cut(w, split);
  PanelTeam team = *job.team;
  void* arguments[] = {&w, &team};
  const void* const kernel = team_panel_kernel(split.rows_per_thread, proxy_ != nullptr);
  HPCX_CHECK(gpuLaunchKernel(kernel, dim3(static_cast<unsigned>(split.blocks)), dim3(kPanelThreads),
                             arguments, static_cast<unsigned>(panel_shared_bytes()),
                             native(job.stream)));
  if (proxy_ != nullptr) proxy_->expect(w, split, team.owner);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
