#include "hpl/update/product_trial.h"

#include "hpl/matrix/distributed_matrix.h"

namespace hpl {

using hpcx::Layout;

ProductTrial::ProductTrial(hpcx::Device& device, std::int64_t size, std::int64_t depth)
    : device_(device),
      size_(size),
      depth_(depth),
      stream_(device.create_stream(hpcx::Priority::Normal)) {
  const std::int64_t ld = padded_leading_dimension(size, kPadding);
  const auto bytes = [ld](std::int64_t lines) { return static_cast<std::size_t>(8 * ld * lines); };
  c_memory_ = device.allocate(bytes(size));
  a_memory_ = device.allocate(bytes(depth));
  b_memory_ = device.allocate(bytes(depth));
  c_ = {c_memory_.as<double>(), size, size, ld, Layout::RowMajor};
  a_ = {a_memory_.as<double>(), size, depth, ld, Layout::ColumnMajor};
  b_ = {b_memory_.as<double>(), depth, size, ld, Layout::RowMajor};
  for (const hpcx::MatrixView& m : {c_, a_, b_})
    device.kernels().generate(stream_, size, {size, size, 0}, {size, size, 0}, m);
  enqueue(1);
  synchronize();
}

hpcx::Event ProductTrial::enqueue(int products) {
  for (int i = 0; i < products; ++i)
    device_.blas().gemm(stream_, -1.0, a_, b_, 1.0, c_);
  return now();
}

double ProductTrial::gflop() const {
  const auto size = static_cast<double>(size_);
  return 2e-9 * size * size * static_cast<double>(depth_);
}

}  // namespace hpl
