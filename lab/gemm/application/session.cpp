#include "session.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/text/quantity.h"

namespace hpl::gemm {

namespace {

constexpr double kProbeSeconds = 0.3;
constexpr std::uint64_t kSeed = 20260101;

/// One shape on a machine.
class Case {
 public:
  Case(const Machine& machine, const GemmOptions& options, const Shape& shape)
      : machine_(machine),
        options_(options),
        shape_(shape),
        operands_(machine.operands(shape, options.alpha, options.beta)),
        parts_{shape.cols,
               std::min<std::int64_t>(static_cast<std::int64_t>(machine.devices()),
                                      (shape.cols + 15) / 16),
               16} {
    result_.shape = shape;
    result_.alpha = options.alpha;
    result_.beta = options.beta;
  }

  CaseResult run(const RunListener& listener) {
    generate_factors();
    measure_rates();
    generate_c();
    const ProductCheck check(machine_.host(), operands_, kSeed);
    for (const Variant variant : options_.variants) {
      VariantResult one = run_variant(variant, listener);
      one.verdict = check.judge(operands_);
      result_.variants.push_back(std::move(one));
    }
    return std::move(result_);
  }

 private:
  /// The pipelines of all devices for a variant, and what each computes.
  struct Line {
    std::vector<std::unique_ptr<DevicePipeline>> pipelines;
    std::vector<DeviceShare> shares;
  };

  /// Elements of the benchmark's random sequence: other columns for each matrix.
  void generate(int number, hpcx::MatrixView matrix) const {
    const hpcx::Stream stream = machine_.host().create_stream(hpcx::Priority::Normal);
    const std::int64_t first = number * ((std::int64_t{1} << 40) / matrix.rows);
    machine_.host().kernels().generate(stream, {matrix.rows, {}, {.first = first}}, matrix);
    stream.ref().synchronize();
  }
  void generate_factors() const {
    const auto writable = [](hpcx::ConstMatrixView view) {
      return hpcx::MatrixView{const_cast<double*>(view.data), view.rows, view.cols, view.ld,
                              view.layout};
    };
    generate(0, writable(operands_.a));
    generate(1, writable(operands_.b));
  }
  /// The content of a C that is not read must not matter, and elements that are not written must
  /// show.
  void generate_c() const {
    if (options_.beta != 0) return generate(2, operands_.c);
    const hpcx::Stream stream = machine_.host().create_stream(hpcx::Priority::Normal);
    machine_.host().kernels().fill(stream, std::numeric_limits<double>::quiet_NaN(), operands_.c);
    stream.ref().synchronize();
  }

  Line make_line(Variant variant) const {
    Line line;
    for (std::int64_t i = 0; i < parts_.count; ++i) {
      const auto d = static_cast<std::size_t>(i);
      hpcx::Device& device = machine_.device(d);
      const bool cpu = device.shares_host_memory();
      PlanSpec spec{.shape = {shape_.rows, parts_.length(i), shape_.depth},
                    .variant = variant,
                    .loads_c = options_.beta != 0,
                    .piece = options_.piece,
                    .least_piece = cpu ? 256 : 2048,
                    .streams = options_.streams};
      const std::int64_t own = stream_bytes(device, spec);
      if (own >= machine_.device_bytes(d))
        throw ConfigError("{} of device memory do not hold the workspace of the streams, {}",
                          bytes_text(machine_.device_bytes(d)), bytes_text(own));
      spec.device_bytes = machine_.device_bytes(d) - own;
      line.pipelines.push_back(
          std::make_unique<DevicePipeline>(device, make_plan(spec), machine_.pageable()));
      line.shares.push_back({line.pipelines.back().get(),
                             operands_.col_range(parts_.begin(i), parts_.length(i)),
                             allowed_rate() / static_cast<double>(parts_.count)});
    }
    return line;
  }

  /// flop/s that kernel and link allow; 0: not measured yet.
  double allowed_rate() const {
    const double seconds = result_.least_seconds(options_.beta != 0);
    return seconds > 0 ? shape_.flops() / seconds : 0;
  }

  StageTotal& alone(Stage stage) { return alone_[static_cast<std::size_t>(stage)]; }
  void keep_alone(const GemmRun& run) {
    for (const Stage stage : choice_values(kStages)) {
      const StageTotal total = run.total(stage);
      if (total.busy > 0) alone(stage) = total;
    }
  }

  /// Each stage of the plan of data placement by itself. Overwrites C.
  void measure_rates() {
    const Line line = make_line(Variant::DataPlacement);
    describe(line);
    MachineRates& rates = result_.rates;
    const ActiveStages loads{true, false, false}, products{false, true, false},
        stores{false, false, true}, copies{true, false, true};
    keep_alone(run_gemm(line.shares, {}, {.active = loads}));  // what the products below work on
    run_gemm(line.shares, {}, {.active = products, .most_blocks = 4});  // libraries get ready
    double seconds = 0, flops = 0;
    do {
      const GemmRun run = run_gemm(line.shares, {}, {.active = products});
      keep_alone(run);
      seconds += run.seconds;
      flops += run.flops();
    } while (seconds < kProbeSeconds);
    rates.kernel = flops / seconds;
    keep_alone(run_gemm(line.shares, {}, {.active = stores}));
    const GemmRun both = run_gemm(line.shares, {}, {.active = copies});
    rates.in_alone = alone(Stage::Load2).bandwidth();
    rates.out_alone = alone(Stage::Store1).bandwidth();
    rates.in_both = both.total(Stage::Load2).bandwidth();
    rates.out_both = both.total(Stage::Store1).bandwidth();
    if (host_wanted()) {
      rates.host = host_rate(machine_.host(), operands_, kProbeSeconds);
      alone(Stage::HostProduct) = {.busy = kProbeSeconds, .flops = rates.host * kProbeSeconds};
    }
  }

  bool host_wanted() const {
    return options_.host_takes_part && std::find(options_.variants.begin(), options_.variants.end(),
                                                 Variant::Hybrid) != options_.variants.end();
  }

  void describe(const Line& line) {
    for (const auto& pipeline : line.pipelines) {
      const Plan& plan = pipeline->plan();
      result_.block_rows = std::max(result_.block_rows, plan.rows.longest());
      result_.block_cols = std::max(result_.block_cols, plan.cols.longest());
      result_.piece_depth = std::max(result_.piece_depth, plan.depth.longest());
      result_.blocks += plan.blocks();
      result_.device_bytes = std::max(
          result_.device_bytes, plan.device_bytes() + stream_bytes(pipeline->device(), plan.spec));
      result_.staging_bytes = std::max(result_.staging_bytes, pipeline->staging_bytes());
    }
  }

  /// The host's part, if it has one. Overwrites C.
  std::optional<HostShare> host_share(const Line& line, VariantResult& one) const {
    if (!options_.host_takes_part) {
      one.remark = "no part for the host, as asked for";
      return {};
    }
    HostShare share{&machine_.host(), result_.rates.host, options_.host_fraction};
    if (share.fraction) return share;
    // A trial of a few blocks with the host and without.
    const std::int64_t blocks = line.pipelines.front()->plan().blocks();
    const double per_block = shape_.flops() / static_cast<double>(result_.blocks);
    const auto wanted = static_cast<std::int64_t>(kProbeSeconds * allowed_rate() / per_block /
                                                  static_cast<double>(parts_.count));
    const std::int64_t most = std::min(std::max<std::int64_t>(wanted, 8), blocks / 2);
    if (most == 0) return share;
    const GemmRun without = run_gemm(line.shares, {}, {.most_blocks = most});
    const GemmRun with = run_gemm(line.shares, share, {.most_blocks = most});
    const auto device_rate = [](const GemmRun& run) {
      double rate = 0;
      for (const DeviceRun& device : run.devices)
        rate += device.seconds > 0 ? device.flops / device.seconds : 0;
      return rate;
    };
    const double host = with.host.seconds > 0 ? with.host.flops / with.host.seconds : 0;
    const double gain = host + device_rate(with) - device_rate(without);
    if (gain > 0) return share;
    one.remark = fmt::format(
        "no part for the host: in a trial it computed {} and cost the devices {}",
        rate_text(host / 1e9), rate_text((device_rate(without) - device_rate(with)) / 1e9));
    return {};
  }

  VariantResult run_variant(Variant variant, const RunListener& listener) {
    const Line line = make_line(variant);
    VariantResult one;
    one.variant = variant;
    std::optional<HostShare> host;
    if (variant == Variant::Hybrid) host = host_share(line, one);
    generate_c();
    const GemmRun run = run_gemm(line.shares, host);
    one.seconds = run.seconds;
    one.rate = shape_.flops() / run.seconds;
    one.fill = run.fill();
    one.drain = run.drain();
    one.imbalance = run.imbalance();
    one.host_flops = run.host.flops;
    for (const auto& pipeline : line.pipelines) {
      const Plan& plan = pipeline->plan();
      one.units_down = std::max(one.units_down, plan.units_down);
      one.units_across = std::max(one.units_across, plan.units_across);
      const Traffic traffic = plan.traffic();
      one.traffic.a += traffic.a;
      one.traffic.b += traffic.b;
      one.traffic.c_in += traffic.c_in;
      one.traffic.c_out += traffic.c_out;
    }
    for (const Stage stage : choice_values(kStages)) {
      const StageTotal total = run.total(stage);
      if (total.busy > 0) one.stages.push_back({stage, alone(stage), total});
    }
    const auto before = std::find_if(
        result_.variants.begin(), result_.variants.end(),
        [](const VariantResult& other) { return other.variant == Variant::DataPlacement; });
    if (host && before != result_.variants.end() && result_.rates.host > 0)
      one.host_gain = (one.rate - before->rate) / result_.rates.host;
    if (listener)
      listener(fmt::format("{}, m = {}, n = {}, k = {}", to_string(variant), shape_.rows,
                           shape_.cols, shape_.depth),
               run);
    return one;
  }

  const Machine& machine_;
  const GemmOptions& options_;
  Shape shape_;
  Operands operands_;
  Pieces parts_;  // columns of each device
  CaseResult result_;
  std::array<StageTotal, kStages.size()> alone_{};
};

}  // namespace

CaseResult run_case(const Machine& machine, const GemmOptions& options, const Shape& shape,
                    const RunListener& listener) {
  return Case(machine, options, shape).run(listener);
}

}  // namespace hpl::gemm
