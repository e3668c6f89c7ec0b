// DGEMM rate of the BLAS in the form of the tail update, C -= A B with A m x k by columns and
// C by rows: the yardstick beside which xhpl and netlib HPL are measured.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "hpcx/device.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/machine/host/environment.h"

int main(int argc, char** argv) {
  hpl::ensure_environment(argc, argv);
  std::int64_t m = 8000, n = 8000, k = 256;
  int threads = 1;
  double seconds = 2;
  CLI::App app("DGEMM rate, C (m x n) -= A (m x k) B (k x n)");
  app.add_option("-m", m, "rows of C")->check(CLI::PositiveNumber);
  app.add_option("-n", n, "columns of C")->check(CLI::PositiveNumber);
  app.add_option("-k", k, "columns of A")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "compute threads")->check(CLI::PositiveNumber);
  app.add_option("--seconds", seconds, "duration")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  const auto device = hpcx::open_device({.cpu = {.threads = threads}});
  const std::int64_t ld_m = hpl::padded_leading_dimension(m, hpl::kPadding);
  const std::int64_t ld_n = hpl::padded_leading_dimension(n, hpl::kPadding);
  const hpcx::Buffer c_memory = device->allocate(static_cast<std::size_t>(8 * m * ld_n));
  const hpcx::Buffer a_memory = device->allocate(static_cast<std::size_t>(8 * k * ld_m));
  const hpcx::Buffer b_memory = device->allocate(static_cast<std::size_t>(8 * k * ld_n));
  const hpcx::MatrixView c{c_memory.as<double>(), m, n, ld_n, hpcx::Layout::RowMajor};
  const hpcx::MatrixView a{a_memory.as<double>(), m, k, ld_m, hpcx::Layout::ColumnMajor};
  const hpcx::MatrixView b{b_memory.as<double>(), k, n, ld_n, hpcx::Layout::RowMajor};
  const hpcx::Stream owned = device->create_stream(hpcx::Priority::Normal);
  const hpcx::StreamRef stream = owned;
  for (const hpcx::MatrixView& view : {c, a, b})
    device->kernels().generate(stream, m, {m, m, 0}, {n, n, 0}, view);
  const auto multiply = [&] {
    device->blas().gemm(stream, -1.0, a, b, 1.0, c);
    stream.synchronize();
  };
  multiply();

  const auto start = std::chrono::steady_clock::now();
  double products = 0, elapsed = 0;
  do {
    multiply();
    ++products;
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  } while (elapsed < seconds);
  const double flops =
      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  fmt::print("{:.2f} GFLOP/s\n", flops * products / elapsed / 1e9);
}
