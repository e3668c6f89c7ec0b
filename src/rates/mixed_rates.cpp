#include "mixed_rates.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hpl/lu/mixed/inverse_product.h"
#include "hpl/lu/mixed/mixed_solver.h"

namespace hpl {

using hpcx::MixedView;
using hpcx::Precision;

namespace {

/// A matrix by rows, of random values in which the diagonal dominates as in a run.
struct RandomMatrix {
  RandomMatrix(hpcx::StreamRef stream, Precision precision, std::int64_t rows, std::int64_t columns)
      : memory(stream.device().allocate(static_cast<std::size_t>(
            hpcx::bytes_of(precision) * std::max<std::int64_t>(rows, 1) * columns))),
        view{memory.as<void>(), precision, rows, columns, columns, hpcx::Layout::RowMajor} {
    const std::int64_t order = std::max(rows, columns);
    const hpcx::IndexMap all{.block = order, .stride = 0, .first = 0};
    stream.device().mixed_precision()->generate(
        stream, {{.order = order, .shift = std::sqrt(static_cast<double>(order))}, all, all}, 1,
        view);
  }

  hpcx::Buffer memory;
  MixedView view;
};

class MixedPanelTrial final : public PanelTrial {
 public:
  MixedPanelTrial(hpcx::Device& device, const MixedSpec& mixed, std::int64_t rows,
                  std::int64_t width)
      : arithmetic_(*device.mixed_precision()),
        stream_(device.create_stream(hpcx::Priority::High)),
        source_(stream_, mixed.storage, width, width),
        block_(stream_, mixed.storage, width, width),
        a21_(stream_, mixed.operands, std::max<std::int64_t>(rows - width, 0), width),
        l21_(stream_, mixed.operands, a21_.view.rows, width),
        lower_(stream_, mixed.operands, width, width),
        upper_(stream_, mixed.operands, width, width),
        workspace_(
            device.allocate(static_cast<std::size_t>(hpcx::diagonal_workspace_bytes(width)))),
        result_(device.allocate(sizeof(hpcx::DiagonalResult))) {}

  double seconds() override {
    const hpcx::StreamRef stream = stream_;
    arithmetic_.convert(stream, source_.view, block_.view);
    stream.synchronize();
    const hpcx::Event begin = stream.record();
    arithmetic_.factorize_diagonal(stream, {block_.view, workspace_.as<void>(), lower_.view,
                                            upper_.view, result_.as<hpcx::DiagonalResult>()});
    stream.synchronize();  // the host looks at the pivots
    multiply_by_upper_inverse(arithmetic_, stream, a21_.view, upper_.view, l21_.view);
    const hpcx::Event end = stream.record();
    end.synchronize();
    return end.seconds_since(begin);
  }

 private:
  hpcx::MixedPrecision& arithmetic_;
  hpcx::Stream stream_;
  RandomMatrix source_, block_, a21_, l21_, lower_, upper_;
  hpcx::Buffer workspace_, result_;
};

class MixedSolveTrial final : public WorkTrial {
 public:
  MixedSolveTrial(hpcx::Device& device, const MixedSpec& mixed, std::int64_t width,
                  std::int64_t columns)
      : arithmetic_(*device.mixed_precision()),
        stream_(device.create_stream(hpcx::Priority::High)),
        inverse_(stream_, mixed.operands, width, width),
        place_(stream_, mixed.storage, width, columns),
        a12_(stream_, mixed.operands, width, columns),
        u12_(stream_, mixed.operands, width, columns),
        converts_(mixed.storage != mixed.operands) {}

  void enqueue() override {
    if (converts_) arithmetic_.convert(stream_, place_.view, a12_.view);
    multiply_by_lower_inverse(arithmetic_, stream_, inverse_.view, a12_.view, u12_.view);
    // Not U12, since values would grow from one time to the next.
    arithmetic_.convert(stream_, a12_.view, place_.view);
  }
  hpcx::StreamRef stream() const override { return stream_; }

 private:
  hpcx::MixedPrecision& arithmetic_;
  hpcx::Stream stream_;
  RandomMatrix inverse_, place_, a12_, u12_;
  bool converts_;
};

class ConversionTrial final : public WorkTrial {
 public:
  ConversionTrial(hpcx::Device& device, const MixedSpec& mixed, std::int64_t rows,
                  std::int64_t width)
      : arithmetic_(*device.mixed_precision()),
        stream_(device.create_stream(hpcx::Priority::High)),
        matrix_(stream_, mixed.storage, rows, 4 * width),
        panel_(stream_, mixed.operands, rows, width) {}

  void enqueue() override {
    arithmetic_.convert(stream_, matrix_.view.col_range(0, panel_.view.cols), panel_.view);
  }
  hpcx::StreamRef stream() const override { return stream_; }

 private:
  hpcx::MixedPrecision& arithmetic_;
  hpcx::Stream stream_;
  RandomMatrix matrix_, panel_;
};

/// Iterations of runs with the conforming matrix (docs/mxp.md).
int usual_iterations(const MixedSpec& mixed) {
  if (mixed.operands == Precision::Fp32) return 2;
  return (mixed.storage == Precision::Fp32 ? 3 : 4) + (mixed.operands == Precision::Bf16 ? 1 : 0);
}

/// A system of one rank, whose factors stand for those of any matrix.
class RefinementTrial {
 public:
  RefinementTrial(hpcx::Device& device, const mpi::Communicator& self, const MixedSpec& mixed,
                  std::int64_t order, std::int64_t width)
      : system_(device, self, make_mixed({.order = order, .block_size = width}, mixed)),
        factors_(system_),
        scales_(static_cast<std::size_t>(step_count(system_.spec)), 1.0F),
        result_(system_.right_side().size()) {}

  /// 1e9 elements a second.
  double factors() {
    return rate([&] { factors_.solve(scales_, system_.right_side(), result_); });
  }
  double product() {
    return rate([&] { system_.product(system_.right_side(), result_); });
  }

 private:
  template <class Work>
  double rate(Work work) {
    const auto order = static_cast<double>(system_.spec.order);
    return 1e-9 * order * order / best_seconds_of(system_.streams.update.ref(), work);
  }

  MixedSystem system_;
  MixedFactors factors_;
  std::vector<float> scales_;
  std::vector<double> result_;
};

}  // namespace

void measure_mixed_rates(const RateTables& tables, const RateSetup& setup, Rates& rates) {
  hpcx::Device& device = setup.device;
  const MixedSpec& mixed = *setup.mixed;
  const bool gpu = rates.kind == ProcessorKind::Gpu;
  const Sizes widths = block_sizes(rates.kind, true);
  tables.begin("panels of HPL-MxP");
  const double tallest = *rates.memory_bytes / 64 / widths.back();
  const Sizes heights = gpu ? Sizes{4096, 16384, 65536, 262144} : Sizes{256, 1024, 4096, 16384};
  rates.device_panel.emplace().seconds =
      tables.table({up_to(heights, tallest), widths}, [&](const Sizes& s) {
        return typical_seconds(*make_mixed_panel_trial(device, mixed, whole(s[0]), whole(s[1])));
      });
  tables.begin("solves for U of HPL-MxP");
  rates.solve_gflops = tables.table(
      {gpu ? Sizes{256, 2048, 16384} : Sizes{16, 128, 1024, 4096}, widths}, [&](const Sizes& s) {
        return 1e-9 * s[0] * s[1] * s[1] /
               make_mixed_solve_trial(device, mixed, whole(s[1]), whole(s[0]))->seconds();
      });
  const std::int64_t rows = 8192, width = gpu ? 2048 : 192;
  const std::int64_t bytes = hpcx::bytes_of(mixed.storage) + hpcx::bytes_of(mixed.operands);
  rates.memory_gbytes =
      tables.median_of_ranks(1e-9 * static_cast<double>(bytes * rows * width) /
                             make_conversion_trial(device, mixed, rows, width)->seconds());

  tables.begin("refinement of HPL-MxP");
  const mpi::Communicator self = tables.world().split(tables.world().rank(), 0);
  // Half of the memory holds the largest.
  const Sizes orders = up_to(
      gpu ? Sizes{8192, 65536} : Sizes{1024, 4096},
      std::sqrt(*rates.memory_bytes / 2 / static_cast<double>(hpcx::bytes_of(mixed.storage))));
  const auto trial = [&](double order, double block) {
    return RefinementTrial(device, self, mixed, whole(order), whole(block));
  };
  rates.mixed = {.spec = mixed, .iterations = usual_iterations(mixed)};
  rates.mixed->factor_gelements =
      tables.table({orders, widths}, [&](const Sizes& s) { return trial(s[0], s[1]).factors(); });
  rates.mixed->matrix_gelements =
      tables.median_of_ranks(trial(orders.back(), widths.back()).product());
}

std::unique_ptr<PanelTrial> make_mixed_panel_trial(hpcx::Device& device, const MixedSpec& mixed,
                                                   std::int64_t rows, std::int64_t width) {
  return std::make_unique<MixedPanelTrial>(device, mixed, rows, width);
}

std::unique_ptr<WorkTrial> make_mixed_solve_trial(hpcx::Device& device, const MixedSpec& mixed,
                                                  std::int64_t width, std::int64_t columns) {
  return std::make_unique<MixedSolveTrial>(device, mixed, width, columns);
}

std::unique_ptr<WorkTrial> make_conversion_trial(hpcx::Device& device, const MixedSpec& mixed,
                                                 std::int64_t rows, std::int64_t width) {
  return std::make_unique<ConversionTrial>(device, mixed, rows, width);
}

}  // namespace hpl
