// FP64 products from INT8 tensor cores on one CUDA device: bits against the CPU's reference, errors
// beside cuBLAS's, and time by phase beside cuBLAS DGEMM and cuBLAS's own emulation.
//
//   emulation_bench [--size N] [--depths K,...] [--moduli M,...] [--seconds S] [--check-only]
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cuda/emulation_kernels.h"
#include "hpcx/device.h"
#include "hpcx/emulation.h"
#include "hpcx/error.h"
#include "support/emulated_product.h"

namespace {

namespace kernels = hpcx::gpu_cuda::emulation;

using hpcx::Layout;
using hpcx::MatrixView;
using hpcx::ResidueView;
using hpcx::testing::Dense;
using kernels::ProductKernel;

constexpr ProductKernel kKernels[] = {ProductKernel::Mma, ProductKernel::Wgmma256,
                                      ProductKernel::Wgmma256Cluster,
                                      ProductKernel::Wgmma128Cluster};

void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw hpcx::Error(fmt::format("{}: {}", what, cudaGetErrorString(status)));
}
void require(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw hpcx::Error(fmt::format("{}: {}", what, cublasGetStatusString(status)));
}

std::size_t size_of(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes);
}

/// C - A B by one kernel.
Dense by_kernel(hpcx::Device& device, ProductKernel kernel, int moduli, Dense a, Dense b, Dense c) {
  const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
  const hpcx::Buffer in_a = hpcx::testing::upload(device, stream, a),
                     in_b = hpcx::testing::upload(device, stream, b),
                     in_c = hpcx::testing::upload(device, stream, c);
  const auto on_device = [](Dense& matrix, const hpcx::Buffer& memory) {
    MatrixView view = matrix.view();
    view.data = memory.as<double>();
    return view;
  };
  const hpcx::Buffer for_a = device.allocate(size_of(hpcx::residue_bytes(a.rows, a.cols, moduli)));
  const hpcx::Buffer for_b = device.allocate(size_of(hpcx::residue_bytes(b.cols, b.rows, moduli)));
  kernels::ResidueProduct product{.x = hpcx::residue_view(for_a, a.rows, a.cols, moduli),
                                  .y = hpcx::residue_view(for_b, b.cols, b.rows, moduli)};
  product.rows = a.rows;
  const hpcx::Buffer out = device.allocate(size_of(moduli * product.plane()));
  product.out = out.as<std::int8_t>();
  device.emulation()->prepare(stream, on_device(a, in_a), product.x);
  device.emulation()->prepare(stream, on_device(b, in_b).transposed(), product.y);
  device.synchronize();
  kernels::launch_product(nullptr, kernel, product);
  kernels::launch_reconstruction(nullptr, product, on_device(c, in_c));
  require(cudaDeviceSynchronize(), kernels::to_string(kernel));
  stream.ref().copy(c.data.data(), in_c.as<double>(), 8 * c.data.size());
  stream.ref().synchronize();
  return c;
}

auto normal_values(unsigned seed, double spread) {
  return [random = std::mt19937_64(seed), normal = std::normal_distribution<double>(), spread](
             std::int64_t, std::int64_t) mutable {
    const double x = normal(random);
    return x * std::exp(spread * normal(random));
  };
}

/// Elements whose bits differ.
std::int64_t differences(const Dense& x, const Dense& y) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < x.data.size(); ++i)
    count += std::bit_cast<std::uint64_t>(x.data[i]) != std::bit_cast<std::uint64_t>(y.data[i]);
  return count;
}

bool check_bits(hpcx::Device& device, hpcx::Device& cpu) {
  struct Shape {
    std::int64_t m, n, k;
  };
  std::int64_t wrong = 0, made = 0;
  for (const auto& [m, n, k] :
       {Shape{1, 1, 1}, Shape{64, 64, 32}, Shape{128, 256, 128}, Shape{129, 257, 129},
        Shape{256, 512, 512}, Shape{300, 1000, 77}, Shape{1000, 300, 640}, Shape{2049, 515, 1024},
        Shape{700, 900, 2048}})
    for (const int moduli : {12, 14, 15, 16}) {
      const Dense a = hpcx::testing::dense(m, k, Layout::ColumnMajor, normal_values(1, 1.0));
      const Dense b = hpcx::testing::dense(k, n, Layout::RowMajor, normal_values(2, 1.0));
      const Dense c = hpcx::testing::dense(m, n, Layout::RowMajor, normal_values(3, 1.0));
      const Dense expected = hpcx::testing::emulated(cpu, moduli, a, b, c);
      for (const ProductKernel kernel : kKernels) {
        if (!kernels::available(kernel)) continue;
        const std::int64_t different =
            differences(by_kernel(device, kernel, moduli, a, b, c), expected);
        ++made;
        if (different == 0) continue;
        ++wrong;
        fmt::print("WRONG: {} x {} x {}, {} moduli, {}: {} elements differ\n", m, n, k, moduli,
                   kernels::to_string(kernel), different);
      }
    }
  fmt::print("bits: {} products compared with the CPU's reference, {} differ\n", made, wrong);
  std::fflush(stdout);
  return wrong == 0;
}

/// Root mean square and largest error in units of 2^-53 |a_i| |b_j|: which number of moduli is as
/// good as the device's own arithmetic.
void errors(hpcx::Device& device) {
  fmt::print("\nerror, root mean square / largest, in units of 2^-53 |a_i| |b_j|\n");
  for (const std::int64_t k : {256, 1024, 2048, 4096}) {
    const std::int64_t size = 512;
    Dense a = hpcx::testing::dense(size, k, Layout::ColumnMajor, normal_values(4, 0.0));
    Dense b = hpcx::testing::dense(k, size, Layout::RowMajor, normal_values(5, 0.0));
    Dense c(size, size, Layout::RowMajor);
    const auto report = [&](const std::string& what, Dense result) {
      double squares = 0, largest = 0;
      int count = 0;
      for (std::int64_t i = 0; i < size; i += 17)
        for (std::int64_t j = 0; j < size; j += 19, ++count) {
          double in_a = 0, in_b = 0;
          for (std::int64_t l = 0; l < k; ++l) {
            in_a += a(i, l) * a(i, l);
            in_b += b(l, j) * b(l, j);
          }
          const double error = hpcx::testing::exact(a, b, c, i, j).minus(result(i, j)) /
                               std::sqrt(in_a) / std::sqrt(in_b) * 0x1p53;
          squares += error * error;
          largest = std::max(largest, std::abs(error));
        }
      fmt::print("  K = {:5}  {:10}  {:8.3g} / {:8.3g}\n", k, what, std::sqrt(squares / count),
                 largest);
    };
    report("cuBLAS", hpcx::testing::native(device, a, b, c));
    for (int moduli = hpcx::kFewestModuli; moduli <= hpcx::kMostModuli; ++moduli)
      report(fmt::format("{} moduli", moduli), hpcx::testing::emulated(device, moduli, a, b, c));
  }
  std::fflush(stdout);
}

/// Milliseconds of `work` on the default stream: repeated for about `seconds`, after one to warm
/// up.
double time(double seconds, const std::function<void()>& work) {
  cudaEvent_t begin = nullptr, end = nullptr;
  require(cudaEventCreate(&begin), "event");
  require(cudaEventCreate(&end), "event");
  const auto run = [&](int times) {
    require(cudaEventRecord(begin), "event");
    for (int i = 0; i < times; ++i)
      work();
    require(cudaEventRecord(end), "event");
    require(cudaEventSynchronize(end), "kernels");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin, end), "event");
    return static_cast<double>(milliseconds) / times;
  };
  run(1);
  const double once = run(1);
  const double result = run(std::clamp(static_cast<int>(1e3 * seconds / once), 1, 1000));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return result;
}

struct Sizes {
  std::int64_t size, depth;
  double seconds;
};

void times(hpcx::Device& device, const Sizes& sizes, const std::vector<int>& moduli_list) {
  const std::int64_t n = sizes.size, k = sizes.depth;
  const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
  const auto matrix = [&](hpcx::Buffer& memory, std::int64_t rows, std::int64_t cols,
                          Layout layout) {
    memory = device.allocate(size_of(8 * rows * cols));
    const MatrixView view{memory.as<double>(), rows, cols,
                          layout == Layout::ColumnMajor ? rows : cols, layout};
    device.kernels().generate(stream, n, {n, n, 0}, {n, n, 0}, view);
    return view;
  };
  hpcx::Buffer memory_a, memory_b, memory_c;
  const MatrixView a = matrix(memory_a, n, k, Layout::ColumnMajor);
  const MatrixView b = matrix(memory_b, k, n, Layout::RowMajor);
  const MatrixView c = matrix(memory_c, n, n, Layout::RowMajor);
  device.synchronize();
  const double flops =
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k);
  const auto print = [&](const std::string& what, double milliseconds, double operations,
                         const char* unit) {
    fmt::print("  {:44} {:9.3f} ms", what, milliseconds);
    if (operations > 0) fmt::print("  {:8.1f} {}", operations / milliseconds * 1e-9, unit);
    fmt::print("\n");
    std::fflush(stdout);
  };
  fmt::print("\n{} x {} x {}\n", n, n, k);

  // C, by rows, is the transposed of what the library sees: C^T -= B^T A^T.
  cublasHandle_t blas = nullptr;
  require(cublasCreate(&blas), "cublasCreate");
  const double alpha = -1, beta = 1;
  const auto dgemm = [&] {
    require(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, static_cast<int>(n), static_cast<int>(n),
                        static_cast<int>(k), &alpha, b.data, static_cast<int>(n), a.data,
                        static_cast<int>(n), &beta, c.data, static_cast<int>(n)),
            "cublasDgemm");
  };
  const double native = time(sizes.seconds, dgemm);
  print("cuBLAS DGEMM", native, flops, "TFLOP/s");
#if CUBLAS_VERSION >= 130000
  require(cublasSetMathMode(blas, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH), "cublasSetMathMode");
  require(cublasSetEmulationStrategy(blas, CUBLAS_EMULATION_STRATEGY_EAGER),
          "cublasSetEmulationStrategy");
  print("cuBLAS DGEMM, its own emulation", time(sizes.seconds, dgemm), flops, "TFLOP/s");
#endif
  cublasDestroy(blas);

  for (const int moduli : moduli_list) {
    fmt::print(" {} moduli\n", moduli);
    const hpcx::Buffer for_a = device.allocate(size_of(hpcx::residue_bytes(n, k, moduli)));
    const hpcx::Buffer for_b = device.allocate(size_of(hpcx::residue_bytes(n, k, moduli)));
    const ResidueView of_a = hpcx::residue_view(for_a, n, k, moduli);
    const ResidueView of_b = hpcx::residue_view(for_b, n, k, moduli);
    double sum = 0;
    const auto phase = [&](const std::string& what, double operations,
                           const std::function<void()>& work) {
      const double milliseconds = time(sizes.seconds, work);
      print(what, milliseconds, operations, "TOPS");
      return milliseconds;
    };
    sum += phase("exponents of A", 0, [&] { kernels::launch_exponents(nullptr, a, of_a); });
    sum += phase("residues of A", 0, [&] { kernels::launch_residues(nullptr, a, of_a); });
    sum += phase("exponents of B", 0,
                 [&] { kernels::launch_exponents(nullptr, b.transposed(), of_b); });
    sum +=
        phase("residues of B", 0, [&] { kernels::launch_residues(nullptr, b.transposed(), of_b); });
    kernels::ResidueProduct product{.x = of_a, .y = of_b};
    const hpcx::Buffer workspace =
        device.allocate(size_of(hpcx::emulation_workspace_bytes(n, n, moduli)));
    product.out = workspace.as<std::int8_t>();
    const auto blocks = [&](std::int64_t rows, const auto& work) {
      for (product.first = 0; product.first < n; product.first += product.rows) {
        product.rows = std::min(rows, n - product.first);
        work();
      }
    };
    const std::int64_t most =
        static_cast<std::int64_t>(workspace.bytes()) / (moduli * product.pitch());
    double best = 1e300;
    ProductKernel fastest = ProductKernel::Mma;
    for (const ProductKernel kernel : kKernels) {
      if (!kernels::available(kernel)) continue;
      const double milliseconds =
          phase(fmt::format("products, {}", kernels::to_string(kernel)), moduli * flops,
                [&] { blocks(most, [&] { kernels::launch_product(nullptr, kernel, product); }); });
      if (milliseconds < best) {
        best = milliseconds;
        fastest = kernel;
      }
    }
    const double reconstruction = phase("reconstruction", 0, [&] {
      blocks(most, [&] {
        kernels::launch_reconstruction(nullptr, product, c.row_range(product.first, product.rows));
      });
    });
    print("sum of the phases", sum + best + reconstruction, flops, "TFLOP/s");
    for (const std::int64_t rows :
         {std::int64_t{256}, std::int64_t{512}, std::int64_t{1024}, std::int64_t{2048}, most}) {
      if (rows > most) continue;
      const double whole = time(sizes.seconds, [&] {
        kernels::launch_exponents(nullptr, a, of_a);
        kernels::launch_residues(nullptr, a, of_a);
        kernels::launch_exponents(nullptr, b.transposed(), of_b);
        kernels::launch_residues(nullptr, b.transposed(), of_b);
        blocks(rows, [&] {
          kernels::launch_product(nullptr, fastest, product);
          kernels::launch_reconstruction(nullptr, product,
                                         c.row_range(product.first, product.rows));
        });
      });
      print(fmt::format("all, {} rows of C at a time", rows), whole, flops, "TFLOP/s");
      fmt::print("  {:44} {:9.3f}\n", "  times native", native / whole);
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  std::int64_t size = 16384;
  std::vector<std::int64_t> depths{1024, 2048, 4096};
  std::vector<int> moduli{14, 15};
  double seconds = 0.5;
  bool check_only = false;
  CLI::App app("FP64 products from INT8 tensor cores: bits, errors, times");
  app.add_option("--size", size, "rows and columns of C");
  app.add_option("--depths", depths, "inner dimensions")->delimiter(',');
  app.add_option("--moduli", moduli, "INT8 products for one of FP64")->delimiter(',');
  app.add_option("--seconds", seconds, "of each measurement");
  app.add_flag("--check-only", check_only, "compare bits and stop");
  CLI11_PARSE(app, argc, argv);

  if (const std::string why = hpcx::why_unavailable(hpcx::Backend::Cuda); !why.empty()) {
    fmt::print("no CUDA device: {}\n", why);
    return 0;
  }
  const auto cpu = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.threads = 8}});
  const auto device = hpcx::open_device({.backend = hpcx::Backend::Cuda});
  fmt::print("{}: {}\n", device->properties().name, device->properties().description);
  if (!check_bits(*device, *cpu)) return 1;
  if (check_only) return 0;
  errors(*device);
  for (const std::int64_t depth : depths)
    times(*device, {size, depth, seconds}, moduli);
  return 0;
} catch (const std::exception& failure) {
  fmt::print(stderr, "emulation_bench: {}\n", failure.what());
  return 1;
}
