#include "gemm/run/device_pipeline.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hpcx/copy.h"
#include "hpcx/error.h"
#include "hpcx/host_memory.h"

namespace hpl::gemm {

namespace {

double element_bytes(hpcx::ConstMatrixView view) {
  return static_cast<double>(view.rows) * static_cast<double>(view.cols) * sizeof(double);
}

/// A rows x cols matrix without gaps.
hpcx::MatrixView dense(double* data, std::int64_t rows, std::int64_t cols) {
  return {data, rows, cols, rows, hpcx::Layout::ColumnMajor};
}

/// Streams that a variant uses: the same one stands in two places where stages must not overlap.
struct Streams {
  std::vector<hpcx::Stream> own;
  std::vector<hpcx::StreamRef> products;
  std::vector<hpcx::StreamRef> others;  // stage in, in, out, stage out

  Streams(hpcx::Device& device, const PlanSpec& spec) {
    const auto create = [&] {
      own.push_back(device.create_stream(hpcx::Priority::Normal));
      return own.back().ref();
    };
    const Variant variant = spec.variant;
    const int count = loads_beside_products(variant) ? std::max(1, spec.streams) : 1;
    for (int i = 0; i < count; ++i)
      products.push_back(create());
    const hpcx::StreamRef first = products.front();
    others.push_back(loads_beside_products(variant) ? create() : first);
    others.push_back(loads_beside_products(variant) ? create() : first);
    others.push_back(stores_beside_products(variant) ? create() : first);
    others.push_back(stores_beside_products(variant) ? create() : first);
  }
  hpcx::StreamRef stage_in() const { return others[0]; }
  hpcx::StreamRef in() const { return others[1]; }
  hpcx::StreamRef out() const { return others[2]; }
  hpcx::StreamRef stage_out() const { return others[3]; }
};

int stream_count(const PlanSpec& spec) {
  if (loads_beside_products(spec.variant)) return std::max(1, spec.streams) + 4;
  return stores_beside_products(spec.variant) ? 3 : 1;
}

}  // namespace

std::int64_t stream_bytes(const hpcx::Device& device, const PlanSpec& spec) {
  return stream_count(spec) * device.stream_bytes();
}

struct DevicePipeline::Impl {
  hpcx::Device& device;
  Plan plan;
  hpcx::Buffer a, b, c;
  std::optional<hpcx::StagingRing> staging_in, staging_out;
  Streams streams;  // behind all that they use

  Impl(hpcx::Device& on, Plan p, bool pageable)
      : device(on),
        plan(std::move(p)),
        a(device.allocate(bytes(plan.a_slots * plan.a_slot_elements()))),
        b(device.allocate(bytes(plan.b_slots * plan.b_slot_elements()))),
        c(device.allocate(bytes(plan.c_buffers * plan.c_buffer_elements()))),
        streams(device, plan.spec) {
    if (!pageable) return;
    const int buffers = loads_beside_products(plan.spec.variant) ? 2 : 1;
    const std::int64_t into =
        std::max({plan.a_slot_elements(), plan.b_slot_elements(), plan.c_buffer_elements()});
    try {
      staging_in.emplace(device, buffers, bytes(into));
      staging_out.emplace(device, buffers, bytes(plan.c_buffer_elements()));
    } catch (const hpcx::OutOfMemory&) {
      staging_in.reset();  // the driver copies as it can
    }
  }

  static std::size_t bytes(std::int64_t elements) {
    return static_cast<std::size_t>(elements) * sizeof(double);
  }
  hpcx::MatrixView a_view(const Step& step, const Shape& size) const {
    return dense(a.as<double>() + step.a_slot * plan.a_slot_elements(), size.rows, size.depth);
  }
  hpcx::MatrixView b_view(const Step& step, const Shape& size) const {
    return dense(b.as<double>() + step.b_slot * plan.b_slot_elements(), size.depth, size.cols);
  }
  hpcx::MatrixView c_view(const Step& step, const Shape& size) const {
    return dense(c.as<double>() + step.c_buffer * plan.c_buffer_elements(), size.rows, size.cols);
  }
};

namespace {

/// The means to execute a plan.
struct Means {
  hpcx::Device& device;
  const Plan& plan;
  const Streams& streams;
  std::optional<hpcx::StagingRing>&staging_in, &staging_out;
};

/// One execution of a plan: what has been enqueued, and the events between its parts.
class Execution {
 public:
  Execution(const Means& means, const Operands& operands, ActiveStages active)
      : device_(means.device),
        streams_(means.streams),
        staging_in_(means.staging_in),
        staging_out_(means.staging_out),
        plan_(means.plan),
        operands_(operands),
        active_(active),
        products_(plan_.steps.size()),
        stores_(plan_.steps.size()),
        loads_(plan_.steps.size()),
        base_(streams_.products.front().record()) {}

  /// In the order of the stream of the loads.
  void load(std::int64_t step, hpcx::ConstMatrixView source, hpcx::MatrixView destination) {
    if (!active_.load) return;
    hpcx::ConstMatrixView from = source;
    hpcx::Event staged;
    hpcx::StagingRing::Piece* slot = nullptr;
    if (staging_in_) {
      slot = &staging_in_->next();
      const hpcx::MatrixView pinned = dense(slot->memory.as<double>(), source.rows, source.cols);
      streams_.stage_in().wait(slot->free);
      timed(streams_.stage_in(),
            {.stage = Stage::Load1, .step = step, .bytes = element_bytes(source)},
            [&](hpcx::StreamRef stream) {
              hpcx::copy_on_host(stream, device_, hpcx::lines_of(source, pinned));
            });
      staged = streams_.stage_in().record();
      from = pinned;
    }
    streams_.in().wait(staged);
    timed(streams_.in(), {.stage = Stage::Load2, .step = step, .bytes = element_bytes(source)},
          [&](hpcx::StreamRef stream) { hpcx::copy(stream, from, destination); });
    if (slot != nullptr) slot->free = streams_.in().record();
  }

  void product(std::int64_t number, hpcx::ConstMatrixView a, hpcx::ConstMatrixView b,
               hpcx::MatrixView c) {
    const Step& step = plan_.steps[index(number)];
    const std::size_t lane = static_cast<std::size_t>(step.block) % streams_.products.size();
    const hpcx::StreamRef stream = streams_.products[lane];
    // One stream serves all loads, so the event behind the last of them stands for all three.
    stream.wait(loads_[index(number)]);
    if (step.first && step.c_after >= 0) stream.wait(stores_[index(step.c_after)]);
    if (!active_.product) return;
    const double beta = !step.first ? 1.0 : (step.load_c ? operands_.beta : 0.0);
    const double flops = Shape{a.rows, b.cols, a.cols}.flops();
    flops_ += flops;
    timed(stream,
          {.stage = Stage::Product, .lane = static_cast<int>(lane), .step = number, .flops = flops},
          [&](hpcx::StreamRef s) {
            device_.blas().gemm(s, {operands_.alpha, a, b, beta, c});
          });
    products_[index(number)] = stream.record();
  }

  void store(std::int64_t number, hpcx::ConstMatrixView source, hpcx::MatrixView destination) {
    if (!active_.store) return;
    hpcx::MatrixView to = destination;
    hpcx::StagingRing::Piece* slot = nullptr;
    if (staging_out_) {
      slot = &staging_out_->next();
      to = dense(slot->memory.as<double>(), source.rows, source.cols);
      streams_.out().wait(slot->free);
    }
    streams_.out().wait(products_[index(number)]);
    timed(streams_.out(), {.stage = Stage::Store1, .step = number, .bytes = element_bytes(source)},
          [&](hpcx::StreamRef stream) { hpcx::copy(stream, source, to); });
    stores_[index(number)] = streams_.out().record();
    if (slot == nullptr) return;
    streams_.stage_out().wait(stores_[index(number)]);
    timed(streams_.stage_out(),
          {.stage = Stage::Store2, .step = number, .bytes = element_bytes(source)},
          [&](hpcx::StreamRef stream) {
            hpcx::copy_on_host(stream, device_, hpcx::lines_of(to, destination));
          });
    slot->free = streams_.stage_out().record();
  }

  /// Called once all loads of a step are enqueued.
  void loads_enqueued(std::int64_t number) {
    if (active_.load) loads_[index(number)] = streams_.in().record();
  }

  /// Enqueues in the stream of the loads that all products up to a step are done. Streams are
  /// ordered: the last product of each is enough.
  void load_after_products(std::int64_t number) {
    if (number < 0) return;
    streams_.in().wait(products_[index(number)]);
    std::int64_t block = plan_.steps[index(number)].block;
    for (std::size_t lane = 1; lane < streams_.products.size() && --block >= 0; ++lane)
      streams_.in().wait(products_[index(plan_.last_step_of(block))]);
  }
  void load_after_store(std::int64_t number) {
    if (number >= 0) streams_.in().wait(stores_[index(number)]);
  }
  const hpcx::Event& product_of(std::int64_t number) const { return products_[index(number)]; }

  DeviceRun finish(Clock::time_point start, Clock::time_point began) {
    for (const hpcx::Stream& stream : streams_.own)
      stream.ref().synchronize();
    DeviceRun result;
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    result.flops = flops_;
    const double offset = std::chrono::duration<double>(began - start).count();
    result.spans.reserve(timed_.size());
    for (const Timed& item : timed_) {
      StageSpan span = item.span;
      span.begin = offset + item.begin.seconds_since(base_);
      span.end = offset + item.end.seconds_since(base_);
      result.spans.push_back(span);
    }
    return result;
  }

 private:
  struct Timed {
    StageSpan span;
    hpcx::Event begin, end;
  };

  static std::size_t index(std::int64_t step) { return static_cast<std::size_t>(step); }

  template <class Enqueue>
  void timed(hpcx::StreamRef stream, const StageSpan& span, Enqueue enqueue) {
    hpcx::Event begin = stream.record();
    enqueue(stream);
    timed_.push_back({span, std::move(begin), stream.record()});
  }

  hpcx::Device& device_;
  const Streams& streams_;
  std::optional<hpcx::StagingRing>& staging_in_;
  std::optional<hpcx::StagingRing>& staging_out_;
  const Plan& plan_;
  const Operands& operands_;
  ActiveStages active_;
  std::vector<hpcx::Event> products_, stores_, loads_;
  std::vector<Timed> timed_;
  double flops_ = 0;
  hpcx::Event base_;
};

}  // namespace

DevicePipeline::DevicePipeline(hpcx::Device& device, Plan plan, bool pageable)
    : impl_(std::make_unique<Impl>(device, std::move(plan), pageable)) {}

DevicePipeline::~DevicePipeline() = default;

const Plan& DevicePipeline::plan() const {
  return impl_->plan;
}

hpcx::Device& DevicePipeline::device() const {
  return impl_->device;
}

std::int64_t DevicePipeline::staging_bytes() const {
  if (!impl_->staging_out) return 0;
  return static_cast<std::int64_t>(impl_->staging_in->bytes() + impl_->staging_out->bytes());
}

std::vector<WorkSplit::Block> DevicePipeline::blocks() const {
  std::vector<WorkSplit::Block> all;
  for (const Step& step : impl_->plan.steps) {
    if (!step.first) continue;
    Shape column = impl_->plan.shape_of(step);
    column.cols = 1;
    column.depth = impl_->plan.spec.shape.depth;
    all.push_back({impl_->plan.cols.length(step.col), column.flops()});
  }
  return all;
}

DeviceRun DevicePipeline::run(const Operands& operands, WorkSplit& work, Clock::time_point start,
                              ActiveStages active, std::int64_t most_blocks) {
  const Plan& plan = impl_->plan;
  impl_->device.synchronize();
  const Clock::time_point began = Clock::now();
  Execution execution({impl_->device, plan, impl_->streams, impl_->staging_in, impl_->staging_out},
                      operands, active);
  std::optional<Claim> claim;
  for (std::int64_t s = 0; s < static_cast<std::int64_t>(plan.steps.size()); ++s) {
    const Step& step = plan.steps[static_cast<std::size_t>(s)];
    if (step.first) {
      if (step.block == most_blocks) break;
      // Enqueued blocks are taken. No more are enqueued than keep the device busy, or the host
      // finds none left.
      const std::int64_t before = step.block - plan.c_buffers;
      if (before >= 0) execution.product_of(plan.last_step_of(before)).synchronize();
      claim = work.claim_front();
      if (!claim) break;
    }
    Shape size = plan.shape_of(step);
    size.cols = claim->cols;
    const std::int64_t row = plan.rows.begin(step.row), col = plan.cols.begin(step.col),
                       depth = plan.depth.begin(step.depth);
    const hpcx::MatrixView a = impl_->a_view(step, size), b = impl_->b_view(step, size),
                           c = impl_->c_view(step, size);
    const hpcx::MatrixView c_on_host = operands.c.block(row, col, size.rows, size.cols);
    if (step.load_a) {
      execution.load_after_products(step.a_after);
      execution.load(s, operands.a.block(row, depth, size.rows, size.depth), a);
    }
    if (step.load_b) {
      execution.load_after_products(step.b_after);
      execution.load(s, operands.b.block(depth, col, size.depth, size.cols), b);
    }
    if (step.load_c) {
      execution.load_after_store(step.c_after);
      execution.load(s, c_on_host, c);
    }
    execution.loads_enqueued(s);
    execution.product(s, a, b, c);
    if (step.last) execution.store(s, c, c_on_host);
  }
  return execution.finish(start, began);
}

}  // namespace hpl::gemm
