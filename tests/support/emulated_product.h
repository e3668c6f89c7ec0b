#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/emulation.h"

/// C := C - A B by a device's emulation, from and to host memory, and what it is compared with.
namespace hpcx::test {

/// A matrix by columns or rows in host memory.
struct Dense {
  Dense(std::int64_t m, std::int64_t n, Layout l = Layout::ColumnMajor)
      : rows(m), cols(n), layout(l), data(static_cast<std::size_t>(m * n)) {}

  MatrixView view() {
    return {data.data(), rows, cols, layout == Layout::ColumnMajor ? rows : cols, layout};
  }
  double& operator()(std::int64_t i, std::int64_t j) { return view()(i, j); }

  std::int64_t rows, cols;
  Layout layout;
  std::vector<double> data;
};

/// Fills a matrix with value(i, j).
template <class Value>
Dense dense(std::int64_t rows, std::int64_t cols, Layout layout, Value value) {
  Dense matrix(rows, cols, layout);
  for (std::int64_t j = 0; j < cols; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      matrix(i, j) = value(i, j);
  return matrix;
}

inline Buffer upload(Device& device, StreamRef stream, Dense& matrix) {
  Buffer memory = device.allocate(8 * matrix.data.size());
  stream.copy(memory.as<double>(), matrix.data.data(), 8 * matrix.data.size());
  stream.synchronize();
  return memory;
}

inline Dense emulated(Device& device, int moduli, Dense a, Dense b, Dense c) {
  const Stream stream = device.create_stream(Priority::Normal);
  const Buffer in_a = upload(device, stream, a), in_b = upload(device, stream, b),
               in_c = upload(device, stream, c);
  const auto on_device = [](Dense& matrix, const Buffer& memory) {
    MatrixView view = matrix.view();
    view.data = memory.as<double>();
    return view;
  };
  const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  const Buffer for_a = device.allocate(bytes(residue_bytes(a.rows, a.cols, moduli)));
  const Buffer for_b = device.allocate(bytes(residue_bytes(b.cols, b.rows, moduli)));
  const std::int64_t longest = a.rows > b.cols ? a.rows : b.cols;
  const Buffer workspace =
      device.allocate(bytes(emulation_workspace_bytes(longest, longest, moduli)));
  const ResidueView of_a = residue_view(for_a, a.rows, a.cols, moduli);
  const ResidueView of_b = residue_view(for_b, b.cols, b.rows, moduli);
  Emulation& emulation = *device.emulation();
  emulation.prepare(stream, on_device(a, in_a), of_a);
  emulation.prepare(stream, on_device(b, in_b).transposed(), of_b);
  emulation.add_product(stream, {-1, of_a, of_b, on_device(c, in_c)}, workspace);
  stream.ref().copy(c.data.data(), in_c.as<double>(), 8 * c.data.size());
  stream.ref().synchronize();
  return c;
}

/// C - A B by the device's own arithmetic.
inline Dense native(Device& device, Dense a, Dense b, Dense c) {
  const Stream stream = device.create_stream(Priority::Normal);
  const Buffer in_a = upload(device, stream, a), in_b = upload(device, stream, b),
               in_c = upload(device, stream, c);
  MatrixView va = a.view(), vb = b.view(), vc = c.view();
  va.data = in_a.as<double>();
  vb.data = in_b.as<double>();
  vc.data = in_c.as<double>();
  device.blas().gemm(stream, {-1.0, va, vb, 1.0, vc});
  stream.ref().copy(c.data.data(), in_c.as<double>(), 8 * c.data.size());
  stream.ref().synchronize();
  return c;
}

/// A number as an unevaluated sum of two doubles: 106 bits.
struct Twofold {
  double high = 0, low = 0;

  void add_product(double x, double y) {
    const double p = x * y, e = std::fma(x, y, -p);
    add(p);
    low += e;
  }
  void add(double x) {
    const double s = high + x, b = s - high;
    low += (high - (s - b)) + (x - b);
    high = s;
  }
  /// this - x
  double minus(double x) const { return (high - x) + low; }
};

/// Element (i, j) of C - A B.
inline Twofold exact(Dense& a, Dense& b, Dense& c, std::int64_t i, std::int64_t j) {
  Twofold sum;
  sum.add(c(i, j));
  for (std::int64_t k = 0; k < a.cols; ++k)
    sum.add_product(-a(i, k), b(k, j));
  return sum;
}

}  // namespace hpcx::test
