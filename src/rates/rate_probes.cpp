#include "rate_probes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/panel/device_panel.h"
#include "hpl/lu/panel/host_panel.h"
#include "hpl/lu/panel/panel_workspace.h"
#include "hpl/lu/swap/row_exchange_plan.h"
#include "hpl/rates/panel_probe.h"

namespace hpl {

using hpcx::Layout;
using hpcx::MatrixView;

namespace {

constexpr double kRoundSeconds = 0.01;
constexpr int kRounds = 3;

std::size_t bytes_of(std::int64_t elements) {
  return static_cast<std::size_t>(8 * elements);
}

void fill_random(hpcx::StreamRef stream, MatrixView matrix) {
  const std::int64_t order = std::max(matrix.rows, matrix.cols);
  stream.device().kernels().generate(stream, {order, {order, order, 0}, {order, order, 0}}, matrix);
}

/// A panel of random values in a workspace, as new again and again.
class RandomPanel {
 public:
  RandomPanel(hpcx::Device& device, const LocalShape& shape, PanelWorkspace::HostPart host_part)
      : device_(device),
        stream_(device.create_stream(hpcx::Priority::High)),
        workspace_(device, shape, host_part) {
    workspace_.touch(stream_);
    workspace_.begin(step_geometry(shape, 0));
    const MatrixView x = workspace_.device_x();
    source_ = device.allocate(bytes_of(x.ld * x.cols));
    fill_random(stream_, source());
    stream().synchronize();
  }

  hpcx::StreamRef stream() const { return stream_; }
  PanelWorkspace& workspace() { return workspace_; }
  void restore() const { device_.kernels().copy(stream_, source(), workspace_.device_x()); }

 private:
  MatrixView source() const {
    MatrixView view = workspace_.device_x();
    view.data = source_.as<double>();
    return view;
  }

  hpcx::Device& device_;
  hpcx::Stream stream_;
  PanelWorkspace workspace_;
  hpcx::Buffer source_;
};

/// In host memory, where each panel has just come from the device, as in a run: what caches hold of
/// it then is for the machine to say.
class HostPanelTrial final : public PanelTrial {
 public:
  HostPanelTrial(hpcx::Device& device, hpcx::Device& host, const RunSpec& panel)
      : device_(device),
        host_(host),
        sweep_{panel.recursive_variant, panel.recursion_divisor, panel.recursion_stop,
               panel.panel_variant},
        host_stream_(host.create_stream(hpcx::Priority::High)),
        shape_(local_shape({.order = panel.order, .block_size = panel.block_size}, {0, 0})),
        panel_(device, shape_, PanelWorkspace::HostPart::Message) {}

  double seconds() override {
    fetch();
    const hpcx::StreamRef stream = host_stream_;
    const PanelWorkspace& panel = panel_.workspace();
    double seconds = 0;
    stream.host_task([&, this] {
      const Stopwatch watch;
      double exchange = 0;
      factorize_panel({.x = panel.host_x(),
                       .geometry = panel.geometry(),
                       .rows = shape_.rows,
                       .pivots = panel.pivots(),
                       .zero_column = panel.zero_column()},
                      sweep_,
                      {host_.properties().compute_units,
                       [this](std::int64_t count, const std::function<void(std::int64_t)>& body) {
                         host_.parallel_for(count, body);
                       }},
                      nullptr, &exchange);
      seconds = watch.seconds();
    });
    stream.record().synchronize();
    return seconds;
  }

 private:
  void fetch() {
    const PanelWorkspace& panel = panel_.workspace();
    panel_.restore();
    if (!device_.shares_host_memory())
      panel_.stream().copy(panel.host_message(), panel.device_message(),
                           static_cast<std::size_t>(panel.message_bytes()));
    panel_.stream().synchronize();
  }

  hpcx::Device& device_;
  hpcx::Device& host_;
  PanelSweep sweep_;
  hpcx::Stream host_stream_;
  LocalShape shape_;
  RandomPanel panel_;
};

class DevicePanelTrial final : public PanelTrial {
 public:
  DevicePanelTrial(hpcx::Device& device, std::int64_t rows, std::int64_t width,
                   std::unique_ptr<hpcx::PanelSolver> solver)
      : device_(device),
        stream_(device.create_stream(hpcx::Priority::High)),
        rows_(rows),
        width_(width),
        solver_(std::move(solver)),
        source_(device.allocate(bytes_of(rows * width))),
        memory_(device.allocate(bytes_of(rows * width))),
        pivots_(device.allocate(bytes_of(width + 32))) {
    fill_random(stream_, view(source_));
    stream_.ref().synchronize();
  }

  double seconds() override {
    const hpcx::StreamRef stream = stream_;
    device_.kernels().copy(stream, view(source_), view(memory_));
    const hpcx::Event begin = stream.record();
    auto* const pivots = pivots_.as<std::int64_t>();
    solver_->factorize(stream, {view(memory_), pivots, pivots + width_});
    const hpcx::Event end = stream.record();
    end.synchronize();
    return end.seconds_since(begin);
  }

 private:
  MatrixView view(const hpcx::Buffer& buffer) const {
    return {buffer.as<double>(), rows_, width_, rows_, Layout::ColumnMajor};
  }

  hpcx::Device& device_;
  hpcx::Stream stream_;
  std::int64_t rows_, width_;
  std::unique_ptr<hpcx::PanelSolver> solver_;
  hpcx::Buffer source_, memory_, pivots_;
};

class TeamPanelTrial final : public PanelTrial {
 public:
  TeamPanelTrial(hpcx::Device& device, const mpi::Communicator& team, const TeamPanel& panel)
      : grid_(team, team.size(), 1, RankOrder::RowMajor),
        width_(panel.multiprocessors > 0 ? DevicePanel::PanelWidth::Narrow
                                         : DevicePanel::PanelWidth::Wide),
        spec_{
            .order = panel.rows * team.size(), .block_size = panel.width, .grid_rows = team.size()},
        shape_(local_shape(spec_, grid_.position())),
        // Its hosts' messages pass while barriers do not: the column is theirs alone.
        panel_(device, grid_, spec_, panel.multiprocessors, panel.groups,
               PivotProxy(grid_.column(), mpi::WaitPolicy::spinning())),
        random_(device, shape_, PanelWorkspace::HostPart::Pivots) {}

  double seconds() override {
    const hpcx::StreamRef stream = random_.stream();
    random_.restore();
    stream.synchronize();
    grid_.all().barrier();
    const hpcx::Event begin = stream.record();
    panel_.factorize(stream, random_.workspace(), width_);
    const hpcx::Event end = stream.record();
    panel_.proxy();
    end.synchronize();
    grid_.all().barrier();  // the others write to this solver's memory until they are done
    return end.seconds_since(begin);
  }

 private:
  ProcessGrid grid_;
  DevicePanel::PanelWidth width_;
  RunSpec spec_;
  LocalShape shape_;
  DevicePanel panel_;
  RandomPanel random_;
};

}  // namespace

double best_seconds_of(hpcx::StreamRef stream, const std::function<void()>& work) {
  const auto round = [&](int times) {
    stream.synchronize();
    const Stopwatch watch;
    for (int i = 0; i < times; ++i)
      work();
    stream.synchronize();
    return watch.seconds() / times;
  };
  round(1);  // libraries load what they need at the first call
  double best = round(1);
  const int times = static_cast<int>(std::clamp(kRoundSeconds / best, 1.0, 1000.0));
  for (int i = 0; i < kRounds; ++i)
    best = std::min(best, round(times));
  return best;
}

std::unique_ptr<PanelTrial> make_host_panel_trial(hpcx::Device& device, hpcx::Device& host,
                                                  const RunSpec& panel) {
  return std::make_unique<HostPanelTrial>(device, host, panel);
}

double typical_seconds(PanelTrial& trial) {
  constexpr int kPanels = 5;
  trial.seconds();  // libraries load what they need
  std::vector<double> times;
  for (int i = 0; i < kPanels; ++i)
    times.push_back(trial.seconds());
  return median(times);
}

double host_panel_seconds(hpcx::Device& device, hpcx::Device& host, const RunSpec& panel,
                          int times) {
  HostPanelTrial trial(device, host, panel);
  double best = trial.seconds();
  for (int i = 1; i < times; ++i)
    best = std::min(best, trial.seconds());
  return best;
}

std::unique_ptr<PanelTrial> make_device_panel_trial(hpcx::Device& device, std::int64_t rows,
                                                    std::int64_t width, int units) {
  std::unique_ptr<hpcx::PanelSolver> solver =
      device.create_panel_solver({.max_rows = rows, .max_cols = width, .compute_units = units});
  if (!solver) return nullptr;
  return std::make_unique<DevicePanelTrial>(device, rows, width, std::move(solver));
}

std::unique_ptr<PanelTrial> make_team_panel_trial(hpcx::Device& device,
                                                  const mpi::Communicator& team,
                                                  const TeamPanel& panel) {
  return std::make_unique<TeamPanelTrial>(device, team, panel);
}

SolveTrial::SolveTrial(hpcx::Device& device, std::int64_t width, std::int64_t columns,
                       std::int64_t solve_rows)
    : stream_(device.create_stream(hpcx::Priority::High)),
      l_(device.allocate(bytes_of(width * width))),
      u_(device.allocate(bytes_of(width * columns))),
      u12_(device.allocate(bytes_of(width * columns))) {
  const MatrixView l{l_.as<double>(), width, width, width, Layout::RowMajor};
  const MatrixView u{u_.as<double>(), width, columns, columns, Layout::RowMajor};
  const MatrixView u12{u12_.as<double>(), width, columns, columns, Layout::RowMajor};
  fill_random(stream_, l);
  fill_random(stream_, u);
  device.kernels().fill(stream_, 0.0, u12);
  // A triangular solve again and again in the same place would grow without end: it is of zeros.
  solve_ = {l, solve_rows > 0 ? u : u12, u12, solve_rows};
  stream_.ref().synchronize();
}

double inverse_seconds(hpcx::Device& device, std::int64_t width) {
  const hpcx::Stream stream = device.create_stream(hpcx::Priority::High);
  const hpcx::Buffer lower = device.allocate(bytes_of(width * width)),
                     inverse = device.allocate(bytes_of(width * width));
  const MatrixView l11{lower.as<double>(), width, width, width, Layout::ColumnMajor};
  const MatrixView to{inverse.as<double>(), width, width, width, Layout::ColumnMajor};
  device.kernels().fill(stream, 1e-3, l11);  // the inverse does not grow
  return best_seconds_of(stream, [&] { device.kernels().invert_unit_lower(stream, l11, to); });
}

RowCopyTrial::RowCopyTrial(hpcx::Device& device, std::int64_t rows, std::int64_t columns,
                           std::int64_t memory_bytes)
    : rows_(rows),
      columns_(columns),
      puts_back_(device.shares_host_memory()),
      stream_(device.create_stream(hpcx::Priority::High)) {
  constexpr std::int64_t kBeyondCaches = std::int64_t{1} << 30;
  if (puts_back_)
    parts_ = std::max<std::int64_t>(
        1, std::min(kBeyondCaches, memory_bytes / 8) / (8 * part_rows() * columns));
  const auto filled = [&](std::int64_t height) {
    hpcx::Buffer memory = device.allocate(bytes_of(height * columns));
    device.kernels().fill(stream_, 1.0,
                          {memory.as<double>(), height, columns, columns, Layout::RowMajor});
    return memory;
  };
  matrix_ = filled(parts_ * part_rows());
  packed_ = filled(rows);
  // Pivots come from anywhere.
  std::vector<std::int64_t> from, packed, to;
  for (std::int64_t i = 0; i < rows; ++i) {
    from.push_back((i * 5 + i % 3) % part_rows());
    packed.push_back(i);
    to.push_back((i * 5 + 4) % part_rows());
  }
  lists_ = device.allocate(bytes_of(3 * rows));
  auto* list = lists_.as<std::int64_t>();
  for (const auto* each : {&from, &packed, &to}) {
    stream_.ref().copy(list, each->data(), bytes_of(rows));
    list += rows;
  }
  stream_.ref().synchronize();
}

void RowCopyTrial::enqueue() {
  hpcx::Kernels& kernels = stream_.ref().device().kernels();
  const MatrixView part{matrix_.as<double>() + next_part_ * part_rows() * columns_, part_rows(),
                        columns_, columns_, Layout::RowMajor};
  const MatrixView packed{packed_.as<double>(), rows_, columns_, columns_, Layout::RowMajor};
  const auto* const lists = lists_.as<std::int64_t>();
  kernels.gather_rows(stream_, part, lists, packed);
  if (puts_back_)
    kernels.move_rows(stream_, {rows_, packed, lists + rows_, part, lists + 2 * rows_});
  next_part_ = (next_part_ + 1) % parts_;
}

double RowCopyTrial::gbytes() {
  const double copies = puts_back_ ? 2 : 1;
  return copies * 8e-9 * static_cast<double>(rows_ * columns_) / seconds();
}

double memory_copy_gbytes(hpcx::Device& device) {
  constexpr std::int64_t kRows = 8192, kColumns = 512, kWide = 2048;
  const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
  const hpcx::Buffer from = device.allocate(bytes_of(kRows * kWide)),
                     to = device.allocate(bytes_of(kRows * kColumns));
  const MatrixView matrix{from.as<double>(), kRows, kColumns, kWide, Layout::RowMajor};
  const MatrixView panel{to.as<double>(), kRows, kColumns, kRows, Layout::ColumnMajor};
  device.kernels().fill(stream, 1.0, matrix);
  const double seconds =
      best_seconds_of(stream, [&] { device.kernels().copy(stream, matrix, panel); });
  return 16e-9 * static_cast<double>(kRows * kColumns) / seconds;
}

double plan_seconds_per_pivot(std::int64_t rows, std::int64_t width, int processes) {
  const LocalShape shape =
      local_shape({.order = rows, .block_size = width, .grid_rows = processes}, {0, 0});
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(width));
  for (std::int64_t c = 0; c < width; ++c)  // from anywhere below
    pivots[c] = c + (c * 7919 + 104729) % (rows - c);
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < 10; ++round) {
    const Stopwatch watch;
    static_cast<void>(plan_row_exchange(permutation_of(pivots, 0), shape.rows, 0));
    best = std::min(best, watch.seconds());
  }
  return best / static_cast<double>(width);
}

double small_task_seconds(hpcx::Device& device) {
  const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
  const hpcx::Buffer memory = device.allocate(bytes_of(16 * 16));
  const MatrixView tile{memory.as<double>(), 16, 16, 16, Layout::RowMajor};
  return best_seconds_of(stream, [&] { device.kernels().fill(stream, 1.0, tile); });
}

}  // namespace hpl
