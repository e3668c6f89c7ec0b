// The accuracy of FP64 emulated by INT8 products beside the FP64 of a device's library: the tables
// of lab/notes/emulation.md.
//
//   emulation_accuracy [--device cpu|cuda] [N] [NB ...]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "hpcx/blas.h"
#include "hpcx/device.h"
#include "support/emulated_product.h"

namespace {

using hpcx::Layout;
using hpcx::MatrixView;
using hpcx::test::Dense;

struct Error {
  double largest = 0, squares = 0;
  std::int64_t count = 0;
  void add(double error) {
    largest = std::max(largest, std::abs(error));
    squares += error * error;
    ++count;
  }
  double root_mean_square() const { return std::sqrt(squares / static_cast<double>(count)); }
};

/// Errors of C - A B, sampled, in units of 2^-53 |a_i| |b_j| (Euclidean norms).
std::vector<Error> errors(hpcx::Device& device, Dense a, Dense b, Dense c) {
  std::vector<Dense> results{hpcx::test::native(device, a, b, c)};
  for (int moduli = hpcx::kFewestModuli; moduli <= hpcx::kMostModuli; ++moduli)
    results.push_back(hpcx::test::emulated(device, moduli, a, b, c));
  std::vector<Error> all(results.size());
  const auto step = [](std::int64_t size) { return std::max<std::int64_t>(1, size / 61); };
  for (std::int64_t i = 0; i < c.rows; i += step(c.rows))
    for (std::int64_t j = 0; j < c.cols; j += step(c.cols)) {
      const hpcx::test::Twofold truth = hpcx::test::exact(a, b, c, i, j);
      double in_a = 0, in_b = 0;
      for (std::int64_t k = 0; k < a.cols; ++k) {
        in_a += a(i, k) * a(i, k);
        in_b += b(k, j) * b(k, j);
      }
      const double unit = 0x1p-53 * std::sqrt(in_a) * std::sqrt(in_b);
      for (std::size_t r = 0; unit > 0 && r < results.size(); ++r)
        all[r].add(truth.minus(results[r](i, j)) / unit);
    }
  return all;
}

void print(const std::string& what, const std::vector<Error>& all) {
  std::string line = fmt::format("| {} |", what);
  for (const Error& error : all)
    line += fmt::format(" {:.3g} / {:.3g} |", error.root_mean_square(), error.largest);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void header(const char* what) {
  fmt::print("\n| {} | FP64 |", what);
  for (int moduli = hpcx::kFewestModuli; moduli <= hpcx::kMostModuli; ++moduli)
    fmt::print(" {} |", moduli);
  fmt::print("\n|---|---|---|---|---|---|---|\n");
}

/// Elimination with partial pivoting of the columns from `first`, all rows from `first`; rows are
/// swapped over the whole width.
void eliminate_panel(Dense& matrix, std::int64_t first, std::int64_t width) {
  if (width > 32) {
    const std::int64_t left = width / 2, middle = first + left, right = width - left;
    eliminate_panel(matrix, first, left);
    const MatrixView all = matrix.view();
    hpcx::host::trsm(
        {hpcx::Triangle::Lower, hpcx::Diagonal::Unit, all.block(first, first, left, left)},
        all.block(first, middle, left, right));
    const std::int64_t below = matrix.rows - middle;
    hpcx::host::gemm({-1.0, all.block(middle, first, below, left),
                      all.block(first, middle, left, right), 1.0,
                      all.block(middle, middle, below, right)});
    return eliminate_panel(matrix, middle, right);
  }
  for (std::int64_t k = first; k < first + width; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < matrix.rows; ++i)
      if (std::abs(matrix(i, k)) > std::abs(matrix(pivot, k))) pivot = i;
    if (pivot != k)
      for (std::int64_t j = 0; j < matrix.cols; ++j)
        std::swap(matrix(k, j), matrix(pivot, j));
    for (std::int64_t i = k + 1; i < matrix.rows; ++i)
      matrix(i, k) /= matrix(k, k);
    for (std::int64_t j = k + 1; j < first + width; ++j)
      for (std::int64_t i = k + 1; i < matrix.rows; ++i)
        matrix(i, j) -= matrix(i, k) * matrix(k, j);
  }
}

/// Rows and columns of a matrix, at most 61 of each where `sampled`: an element of a product
/// depends on its row and its column alone.
Dense part(MatrixView from, Layout layout, bool rows_sampled, bool columns_sampled) {
  const auto most = [](bool sampled, std::int64_t size) {
    return sampled ? std::min<std::int64_t>(size, 61) : size;
  };
  const std::int64_t rows = most(rows_sampled, from.rows), cols = most(columns_sampled, from.cols);
  return hpcx::test::dense(rows, cols, layout, [&](std::int64_t i, std::int64_t j) {
    return from(i * from.rows / rows, j * from.cols / cols);
  });
}

/// The updates of an LU of the benchmark's matrix, each with the operands that FP64 left.
void benchmark_matrix(hpcx::Device& cpu, hpcx::Device& device, std::int64_t order,
                      std::int64_t block) {
  Dense matrix(order, order);
  const hpcx::Stream stream = cpu.create_stream(hpcx::Priority::Normal);
  cpu.kernels().generate(stream, {order, {order, order, 0}, {order, order, 0}}, matrix.view());
  stream.ref().synchronize();
  const std::int64_t steps = (order + block - 1) / block;
  for (std::int64_t step = 0; step + 1 < steps; ++step) {
    const std::int64_t first = step * block, below = first + block, rest = order - below;
    eliminate_panel(matrix, first, block);
    MatrixView all = matrix.view();
    hpcx::host::trsm(
        {hpcx::Triangle::Lower, hpcx::Diagonal::Unit, all.block(first, first, block, block)},
        all.block(first, below, block, rest));
    const MatrixView l21 = all.block(below, first, rest, block),
                     u12 = all.block(first, below, block, rest),
                     a22 = all.block(below, below, rest, rest);
    const std::int64_t stride = std::max<std::int64_t>(1, (steps - 1) / 4);
    if (step % stride == 0)
      print(fmt::format("N = {}, NB = {}, step {} of {}", order, block, step, steps),
            errors(device, part(l21, Layout::ColumnMajor, true, false),
                   part(u12, Layout::RowMajor, false, true),
                   part(a22, Layout::RowMajor, true, true)));
    hpcx::host::gemm({-1.0, l21, u12, 1.0, a22});
  }
}

void random_matrices(hpcx::Device& device) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const auto values = [&](double spread) {
    return [&random, &normal, spread](std::int64_t, std::int64_t) {
      const double x = normal(random);
      return x * std::exp(spread * normal(random));
    };
  };
  for (const double spread : {0.0, 0.5, 1.0, 2.0, 4.0})
    for (const std::int64_t depth : {256, 2048})
      print(fmt::format("normal times exp({} normal), K = {}", spread, depth),
            errors(device, hpcx::test::dense(128, depth, Layout::ColumnMajor, values(spread)),
                   hpcx::test::dense(depth, 128, Layout::RowMajor, values(spread)),
                   Dense(128, 128, Layout::RowMajor)));
  const auto uniform = [&](double low) {
    return [&random, low](std::int64_t, std::int64_t) {
      return std::uniform_real_distribution<double>(low, 1)(random);
    };
  };
  for (const std::int64_t depth : {256, 2048})
    print(fmt::format("uniform in (0, 1), K = {}", depth),
          errors(device, hpcx::test::dense(128, depth, Layout::ColumnMajor, uniform(0)),
                 hpcx::test::dense(depth, 128, Layout::RowMajor, uniform(0)),
                 Dense(128, 128, Layout::RowMajor)));
}

/// Demmel's test: A = D1 B D2 with rows and inner dimension graded. A product in fixed point loses
/// what the grading along the inner dimension takes from its small terms.
void graded(hpcx::Device& device) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0.5, 1.0);
  for (const int grade : {0, 10, 20, 30, 40, 60}) {
    const std::int64_t size = 128;
    const auto power = [&](std::int64_t i, int total) {
      return std::ldexp(1.0, static_cast<int>(-total * i / (size - 1)));
    };
    // Each term of a sum has its share: a_ik falls with k as b_kj rises.
    Dense a = hpcx::test::dense(size, size, Layout::ColumnMajor, [&](std::int64_t, std::int64_t k) {
      return uniform(random) * power(k, grade);
    });
    Dense b = hpcx::test::dense(size, size, Layout::RowMajor, [&](std::int64_t k, std::int64_t) {
      return uniform(random) / power(k, grade);
    });
    Dense c(size, size, Layout::RowMajor);
    std::string line = fmt::format("| inner dimension graded by 2^{} |", grade);
    std::vector<Dense> results{hpcx::test::native(device, a, b, c)};
    for (int moduli = hpcx::kFewestModuli; moduli <= hpcx::kMostModuli; ++moduli)
      results.push_back(hpcx::test::emulated(device, moduli, a, b, c));
    for (Dense& result : results) {
      double largest = 0;  // componentwise
      for (std::int64_t i = 0; i < size; i += 3)
        for (std::int64_t j = 0; j < size; j += 3) {
          const auto truth = hpcx::test::exact(a, b, c, i, j);
          largest = std::max(largest, std::abs(truth.minus(result(i, j)) / truth.high));
        }
      line += fmt::format(" {:.2g} |", largest);
    }
    fmt::print("{}\n", line);
  }
}

/// The LU of the benchmark's matrix, its tail updated with `moduli` INT8 products, 0 in FP64.
Dense factors(hpcx::Device& device, Dense matrix, std::int64_t block, int moduli) {
  const std::int64_t order = matrix.rows;
  for (std::int64_t first = 0; first < order; first += block) {
    const std::int64_t width = std::min(block, order - first), below = first + width,
                       rest = order - below, right = matrix.cols - below;
    eliminate_panel(matrix, first, width);
    MatrixView all = matrix.view();
    hpcx::host::trsm(
        {hpcx::Triangle::Lower, hpcx::Diagonal::Unit, all.block(first, first, width, width)},
        all.block(first, below, width, right));
    const MatrixView l21 = all.block(below, first, rest, width),
                     u12 = all.block(first, below, width, right),
                     a22 = all.block(below, below, rest, right);
    if (rest == 0) break;
    if (moduli == 0) {
      hpcx::host::gemm({-1.0, l21, u12, 1.0, a22});
      continue;
    }
    Dense c = hpcx::test::emulated(device, moduli, part(l21, Layout::ColumnMajor, false, false),
                                   part(u12, Layout::RowMajor, false, false),
                                   part(a22, Layout::RowMajor, false, false));
    for (std::int64_t j = 0; j < right; ++j)
      for (std::int64_t i = 0; i < rest; ++i)
        a22(i, j) = c(i, j);
  }
  return matrix;
}

/// The solution from factors that carry the right side in their last column.
std::vector<double> solution(Dense& lu) {
  const std::int64_t order = lu.rows;
  std::vector<double> x(static_cast<std::size_t>(order));
  for (std::int64_t i = order - 1; i >= 0; --i) {
    double sum = lu(i, order);
    for (std::int64_t j = i + 1; j < order; ++j)
      sum -= lu(i, j) * x[static_cast<std::size_t>(j)];
    x[static_cast<std::size_t>(i)] = sum / lu(i, i);
  }
  return x;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double v : x)
    most = std::max(most, std::abs(v));
  return most;
}

Dense benchmark_system(hpcx::Device& cpu, std::int64_t order) {
  Dense system(order, order + 1);
  const hpcx::Stream stream = cpu.create_stream(hpcx::Priority::Normal);
  cpu.kernels().generate(stream, {order, {order, order, 0}, {order + 1, order + 1, 0}},
                         system.view());
  stream.ref().synchronize();
  return system;
}

/// Wilkinson's matrix with a parameter, after Luszczek and others, arXiv:2509.23565: 1 on the
/// diagonal and in the last column, -a below the diagonal. No row is swapped, and the last column
/// grows by 1 + a with every step, to 2^growth in the end.
Dense wilkinson_system(std::int64_t order, int growth) {
  const double below = std::exp2(growth / static_cast<double>(order - 1)) - 1;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  return hpcx::test::dense(order, order + 1, Layout::ColumnMajor,
                           [&](std::int64_t i, std::int64_t j) {
                             if (j == order) return uniform(random);
                             if (i == j || j == order - 1) return 1.0;
                             return i > j ? -below : 0.0;
                           });
}

/// Errors of solutions against the true one, by refinement with residuals in twice the precision.
void solutions(hpcx::Device& device, const std::string& what, Dense system, std::int64_t block) {
  const std::int64_t order = system.rows;
  std::vector<std::vector<double>> found;
  for (const int moduli : {0, 12, 13, 14, 15, 16}) {
    Dense lu = factors(device, system, block, moduli);
    found.push_back(solution(lu));
  }
  std::vector<double> truth = found.front();
  for (int round = 0; round < 3; ++round) {
    Dense defect = system;
    for (std::int64_t i = 0; i < order; ++i) {
      hpcx::test::Twofold sum;
      sum.add(system(i, order));
      for (std::int64_t j = 0; j < order; ++j)
        sum.add_product(-system(i, j), truth[static_cast<std::size_t>(j)]);
      defect(i, order) = sum.high + sum.low;
    }
    Dense lu = factors(device, defect, block, 0);
    const std::vector<double> correction = solution(lu);
    for (std::size_t i = 0; i < truth.size(); ++i)
      truth[i] += correction[i];
  }
  std::string line = fmt::format("| {} |", what);
  for (const std::vector<double>& x : found) {
    std::vector<double> error(x.size()), difference(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      error[i] = x[i] - truth[i];
      difference[i] = x[i] - found.front()[i];
    }
    line += fmt::format(" {:.2g} / {:.2g} |", largest(error) / largest(truth),
                        largest(difference) / largest(truth));
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  std::string backend = "cpu";
  std::int64_t order = 2048;
  std::vector<std::int64_t> blocks{128, 256, 512};
  CLI::App app("what emulated FP64 keeps, beside the FP64 of a device");
  app.add_option("--device", backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("N", order, "order of the benchmark's matrix")->check(CLI::PositiveNumber);
  app.add_option("NB", blocks, "block sizes")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const auto cpu = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.threads = 2}});
  const auto device = backend == "cpu" ? hpcx::open_device({.backend = hpcx::Backend::Cpu})
                                       : hpcx::open_device({.backend = hpcx::Backend::Cuda});
  fmt::print("{}: {}\n", device->properties().name, device->properties().description);
  fmt::print("Error, root mean square / largest, in units of 2^-53 |a_i| |b_j|\n");
  header("updates of the benchmark's matrix");
  for (const std::int64_t block : blocks)
    benchmark_matrix(*cpu, *device, order, block);
  header("random matrices");
  random_matrices(*device);
  fmt::print("\nLargest error of an element, relative to the element\n");
  header("graded matrices");
  graded(*device);
  fmt::print(
      "\nSolutions: error / difference from native FP64's, relative to the largest element\n");
  header("solutions of the benchmark's system");
  for (const std::int64_t size : {500, 1000, 2000})
    solutions(*device, fmt::format("N = {}, NB = 128", size), benchmark_system(*cpu, size), 128);
  header("of Wilkinson's matrix, N = 1000, NB = 128");
  for (const int growth : {1, 10, 20, 30, 40})
    solutions(*device, fmt::format("growth 2^{}", growth), wilkinson_system(1000, growth), 128);
} catch (const std::exception& failure) {
  fmt::print(stderr, "emulation_accuracy: {}\n", failure.what());
  return 1;
}
