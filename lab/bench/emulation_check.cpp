#include "emulation_check.h"

#include <utility>
#include <vector>

#include "support/residue_check.h"

namespace hpcx::emulation_bench {

using test::Dense;

namespace {

MatrixView on_device(Dense& matrix, const hpcx::Buffer& memory) {
  MatrixView view = matrix.view();
  view.data = memory.as<double>();
  return view;
}

/// Columns of C in a kernel's tile; rows: 128.
std::int64_t tile_columns(ProductKernel kernel) {
  return kernel == ProductKernel::Wgmma256 || kernel == ProductKernel::Wgmma256Cluster ? 256 : 128;
}

}  // namespace

CheckedProduct::CheckedProduct(hpcx::Device& device, int moduli, Dense a, Dense b)
    : device_(device),
      stream_(device.create_stream(hpcx::Priority::Normal)),
      moduli_(moduli),
      a_(std::move(a)),
      b_(std::move(b)),
      memory_a_(hpcx::test::upload(device, stream_, a_)),
      memory_b_(hpcx::test::upload(device, stream_, b_)),
      for_a_(device.allocate(size_of(hpcx::residue_bytes(a_.rows, a_.cols, moduli)))),
      for_b_(device.allocate(size_of(hpcx::residue_bytes(b_.cols, b_.rows, moduli)))),
      product_{.x = hpcx::residue_view(for_a_, a_.rows, a_.cols, moduli),
               .y = hpcx::residue_view(for_b_, b_.cols, b_.rows, moduli)} {
  product_.rows = a_.rows;
  residues_ = device.allocate(size_of(moduli * product_.plane()));
  product_.out = residues_.as<std::int8_t>();
  sums_ = device.allocate(size_of(4 * product_.plane()));
  product_.sums = sums_.as<std::int32_t>();
  product_.blas = &blas_;
  device.emulation()->prepare(stream_, on_device(a_, memory_a_), product_.x);
  device.emulation()->prepare(stream_, on_device(b_, memory_b_).transposed(), product_.y);
  stream_.ref().synchronize();
}

Dense CheckedProduct::by(ProductKernel kernel, Dense c) {
  const hpcx::Buffer memory = hpcx::test::upload(device_, stream_, c);
  require(cudaMemset(product_.out, 77, residues_.bytes()), "memset");
  kernels::launch_product(nullptr, kernel, product_);
  require(cudaDeviceSynchronize(), fmt::format("product by {}", kernels::to_string(kernel)));
  kernels::launch_reconstruction(nullptr, product_, -1, on_device(c, memory));
  require(cudaDeviceSynchronize(), "reconstruction");
  stream_.ref().copy(c.data.data(), memory.as<double>(), 8 * c.data.size());
  stream_.ref().synchronize();
  return c;
}

std::string CheckedProduct::explanation(std::int64_t i, std::int64_t j) {
  const hpcx::test::HostResidues x(stream_, product_.x), y(stream_, product_.y);
  std::string text;
  const auto operand = [&](const hpcx::test::HostResidues& made, std::int64_t line,
                           const auto& element, const std::string& name) {
    const std::string wrong = hpcx::test::wrong_line(
        made, line, hpcx::test::ExpectedLine(made.view.depth, moduli_, element), name);
    text += fmt::format(
        "    operand: {}\n",
        wrong.empty() ? name + std::to_string(line) + ": exponent and residues right" : wrong);
  };
  operand(
      x, i, [&](std::int64_t k) { return a_(i, k); }, "row ");
  operand(
      y, j, [&](std::int64_t k) { return b_(k, j); }, "column ");
  std::vector<std::int8_t> planes(residues_.bytes());
  stream_.ref().copy(planes.data(), product_.out, planes.size());
  stream_.ref().synchronize();
  int right = 0;
  for (int m = 0; m < moduli_; ++m) {
    const int is = planes[size_of(m * product_.plane() + i * product_.pitch() + j)];
    const int should = hpcx::test::expected_product(x, i, y, j, m);
    if (is == should)
      ++right;
    else
      text += fmt::format("    product: residue modulo {} is {}, should be {}{}\n",
                          hpcx::emulation::kModuli[size_of(m)], is, should,
                          is == 77 ? " (77: never written)" : "");
  }
  return text + fmt::format("    product: {} of {} residues right{}\n", right, moduli_,
                            right == moduli_ ? ": look at the reconstruction" : "");
}

bool check_kernel(Output& out, ProductKernel kernel) {
  const auto cpu = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.threads = 8}});
  const auto device = hpcx::open_device({.backend = hpcx::Backend::Cuda});
  if (!kernels::available(kernel)) {
    out.say(fmt::format("  {:12} not on this device\n", kernels::to_string(kernel)));
    return true;
  }
  struct Shape {
    std::int64_t m, n, k;
    std::vector<int> moduli;
  };
  // One step and one tile first, then steps round the ring, edges of tiles and of boxes, many tiles
  // a block.
  const std::vector<Shape> shapes{
      {1, 1, 1, {12}},        {64, 64, 32, {12}},     {128, 256, 128, {12, 16}},
      {128, 256, 1024, {12}}, {129, 257, 129, {15}},  {256, 512, 512, {14}},
      {300, 1000, 77, {13}},  {1000, 300, 640, {15}}, {2049, 515, 1024, {14, 15}},
      {700, 900, 2048, {15}}, {513, 4100, 100, {16}}, {511, 516, 4096, {14}}};
  int made = 0, wrong_products = 0;
  for (const auto& [m, n, k, moduli_list] : shapes)
    for (const int moduli : moduli_list) {
      const Dense a = hpcx::test::dense(m, k, Layout::ColumnMajor, normal_values(1, 1.0));
      const Dense b = hpcx::test::dense(k, n, Layout::RowMajor, normal_values(2, 1.0));
      const Dense c = hpcx::test::dense(m, n, Layout::RowMajor, normal_values(3, 1.0));
      const std::string name =
          fmt::format("{}: {} x {} x {}, {} moduli", kernels::to_string(kernel), m, n, k, moduli);
      out.note(name + "\n");  // should it hang, the log says where
      CheckedProduct product(*device, moduli, a, b);
      Dense result(0, 0);
      try {
        result = product.by(kernel, c);
      } catch (const hpcx::Error& failure) {
        throw hpcx::Error(fmt::format("{}: {}", name, failure.what()));
      }
      Dense expected = hpcx::test::emulated(*cpu, moduli, a, b, c);
      ++made;
      Wrong wrong;
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          if (!same_bits(result(i, j), expected(i, j))) wrong.add(i, j);
      if (wrong.count == 0) continue;
      const std::int64_t columns = tile_columns(kernel);
      std::string text = fmt::format(
          "  WRONG {}: {} of {} elements, in rows {} to {}, columns {} to {}\n"
          "    first ({}, {}), tile ({}, {}) at ({}, {}) in it: is {}, should be {}\n",
          name, wrong.count, m * n, wrong.row, wrong.last_row, wrong.first_column,
          wrong.last_column, wrong.row, wrong.column, wrong.row / 128, wrong.column / columns,
          wrong.row % 128, wrong.column % columns,
          hpcx::test::with_bits(result(wrong.row, wrong.column)),
          hpcx::test::with_bits(expected(wrong.row, wrong.column)));
      text += product.explanation(wrong.row, wrong.column);
      ++wrong_products <= 3 ? out.say(text) : out.note(text);
    }
  out.say(fmt::format("  {:12} {} of {} products have the bits of the CPU's\n",
                      kernels::to_string(kernel), made - wrong_products, made));
  return wrong_products == 0;
}

}  // namespace hpcx::emulation_bench
