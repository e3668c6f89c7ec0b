#include "hpl/lu/update/product_trial.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "typical_factors.h"

namespace hpl {

using hpcx::Layout;

namespace {

std::int64_t round_down(double size) {
  return std::max(kPadding, static_cast<std::int64_t>(size) / kPadding * kPadding);
}

}  // namespace

double ProductShape::flops() const {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
         static_cast<double>(depth);
}

std::int64_t ProductShape::elements() const {
  return rows * columns + depth * (rows + columns);
}

ProductShape ProductShape::within(std::int64_t most_elements, double most_flops) const {
  ProductShape shape = *this;
  const auto k = static_cast<double>(depth);
  if (flops() > most_flops) {
    const double area = most_flops / (2 * k);
    shape.columns = std::min(columns, round_down(std::sqrt(area)));
    shape.rows = std::min(rows, round_down(area / static_cast<double>(shape.columns)));
  }
  if (shape.elements() > most_elements) {
    const auto most = static_cast<double>(most_elements);
    shape.columns = std::min(shape.columns, round_down(std::sqrt(most + k * k) - k));
    const auto n = static_cast<double>(shape.columns);
    shape.rows = std::min(shape.rows, round_down((most - k * n) / (n + k)));
  }
  return shape;
}

ProductTrial::ProductTrial(hpcx::Device& device, const ProductShape& shape,
                           const TrialOperands& operands)
    : shape_(shape), stream_(device.create_stream(hpcx::Priority::Normal)) {
  const auto& [m, n, k] = shape;
  const auto& [values, shift, moduli] = operands;
  HPL_ASSERT(m > 0 && n > 0 && k > 0 && shift >= 0);
  const std::int64_t l21_shift = k % 2 == 0 ? 0 : k % kPadding;  // see PanelLayout
  const std::int64_t ld_rows = padded_leading_dimension(l21_shift + m, kPadding);
  const std::int64_t ld_columns = padded_leading_dimension(shift + n, kPadding);
  const auto bytes = [](std::int64_t lines, std::int64_t ld) {
    return static_cast<std::size_t>(8 * lines * ld);
  };
  c_memory_ = device.allocate(bytes(m, ld_columns));
  a_memory_ = device.allocate(bytes(k, ld_rows));
  b_memory_ = device.allocate(bytes(k, ld_columns));
  const hpcx::MatrixView c{c_memory_.as<double>() + shift, m, n, ld_columns, Layout::RowMajor};
  const hpcx::MatrixView a{a_memory_.as<double>() + l21_shift, m, k, ld_rows, Layout::ColumnMajor};
  const hpcx::MatrixView b{b_memory_.as<double>() + shift, k, n, ld_columns, Layout::RowMajor};
  const auto generate = [&, order = std::max({m, n, k})](const hpcx::MatrixView& matrix) {
    device.kernels().generate(stream_, {order, {order, order, 0}, {order, order, 0}}, matrix);
  };
  generate(c);
  if (values == ProductValues::Factors) {
    fill_with_typical_factors(device, stream_, a, b);
  } else {
    generate(a);
    generate(b);
  }
  tail_product_ = make_product(device, {.rows = m, .columns = n, .depth = k}, moduli);
  tail_product_->prepare_l21(stream_, 0, a);
  tail_product_->prepare_u12(stream_, 0, b);
  product_ = [product = tail_product_.get(), c](hpcx::StreamRef stream) {
    product->subtract(stream, 0, 0, c);
  };
  make_first();
}

ProductTrial::ProductTrial(hpcx::Device& device, const ProductShape& shape, const MixedSpec& mixed)
    : shape_(shape), stream_(device.create_stream(hpcx::Priority::Normal)) {
  const auto& [m, n, k] = shape;
  HPL_ASSERT(m > 0 && n > 0 && k > 0 && device.mixed_precision() != nullptr);
  hpcx::MixedPrecision& operations = *device.mixed_precision();
  const hpcx::IndexMap all{.block = std::max({m, n, k}), .stride = 0, .first = 0};
  // `lines` of `length` elements, which follow each other in memory.
  const auto made = [&](hpcx::Buffer& memory, hpcx::Precision precision, std::int64_t lines,
                        std::int64_t length) {
    const std::int64_t ld = padded_leading_dimension(length, 4 * kPadding);
    memory = device.allocate(static_cast<std::size_t>(hpcx::bytes_of(precision) * lines * ld));
    const hpcx::MixedView view{memory.as<std::byte>(), precision, lines, length, ld,
                               Layout::RowMajor};
    operations.generate(stream_, {{.order = all.block}, all, all}, 1, view);
    return view;
  };
  const hpcx::MixedView c = made(c_memory_, mixed.storage, m, n);
  const hpcx::MixedView a = made(a_memory_, mixed.operands, k, m).transposed();
  const hpcx::MixedView b = made(b_memory_, mixed.operands, k, n);
  product_ = [&operations, a, b, c](hpcx::StreamRef stream) {
    constexpr float kSmall = -0x1p-10F;  // C stays finite, however often
    operations.gemm(stream, {kSmall, a, b, 1, c});
  };
  make_first();
}

void ProductTrial::leave_free(int compute_units) {
  stream_.ref().device().mixed_precision()->leave_free(stream_, compute_units);
}

void ProductTrial::make_first() {
  stream_.ref().synchronize();
  const Stopwatch watch;
  enqueue(1).synchronize();
  seconds_ = watch.seconds();
}

hpcx::Event ProductTrial::enqueue(int products) {
  for (int i = 0; i < products; ++i)
    product_(stream_);
  return stream_.ref().record();
}

int ProductTrial::products_in(double stretch) {
  if (!settled_ && seconds_ < stretch) {
    const Stopwatch watch;
    enqueue(1).synchronize();
    seconds_ = watch.seconds();
    settled_ = true;
  }
  return static_cast<int>(std::clamp(stretch / seconds_, 1.0, 1e6));
}

std::vector<double> ProductTrial::rates(double seconds, double stretch,
                                        const std::function<void()>& meanwhile) {
  const int products = products_in(stretch);
  const double gflop = 1e-9 * shape_.flops() * products;
  std::vector<double> rates;
  const Stopwatch watch;
  hpcx::Event begin = stream_.ref().record();
  hpcx::Event end = enqueue(products);
  for (bool more = true; more;) {
    more = watch.seconds() + stretch < seconds;
    const hpcx::Event next = more ? enqueue(products) : hpcx::Event();
    if (meanwhile) meanwhile();
    end.synchronize();
    // By the device's time: this thread may wake late, and would find the next stretch short.
    rates.push_back(gflop / end.seconds_since(begin));
    begin = std::exchange(end, next);
  }
  return rates;
}

}  // namespace hpl
