// FP64 products from INT8 tensor cores on one CUDA device: bits against the CPU's reference, errors
// beside cuBLAS's, and time by phase beside cuBLAS DGEMM and cuBLAS's own emulation.
//
//   emulation_bench [--size N] [--depths K,...] [--moduli M,...] [--kernels NAME,...]
//                   [--seconds S] [--check-only] [--log FILE]
//
// Every kernel is checked in a process of its own first: one that crashes or hangs takes no other
// along, and is not timed. One that gives wrong bits is timed and marked.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cuda/emulation_kernels.h"
#include "hpcx/device.h"
#include "hpcx/emulation.h"
#include "hpcx/error.h"
#include "support/emulated_product.h"
#include "support/residue_check.h"

namespace {

namespace kernels = hpcx::gpu_cuda::emulation;

using hpcx::Layout;
using hpcx::MatrixView;
using hpcx::ResidueView;
using hpcx::testing::Dense;
using kernels::ProductKernel;

void require(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess)
    throw hpcx::Error(fmt::format("{}: {}", what, cudaGetErrorString(status)));
}
void require(cublasStatus_t status, const std::string& what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw hpcx::Error(fmt::format("{}: {}", what, cublasGetStatusString(status)));
}

std::size_t size_of(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes);
}

/// To the screen and, with all else, to the log.
class Output {
 public:
  /// Appends, as other processes do; `anew`: to what is empty.
  void open(const std::string& path, bool anew) {
    if (std::FILE* const empty = anew ? std::fopen(path.c_str(), "w") : nullptr) std::fclose(empty);
    log_ = std::fopen(path.c_str(), "a");
    if (log_ == nullptr) throw hpcx::Error(fmt::format("cannot write {}", path));
  }
  void say(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    note(text);
  }
  void note(const std::string& text) {
    if (log_ == nullptr) return;
    std::fputs(text.c_str(), log_);
    std::fflush(log_);
  }

 private:
  std::FILE* log_ = nullptr;  // open to the end of the process
};

struct Bench {
  hpcx::Device& device;
  Output& out;
  struct Kernel {
    ProductKernel kernel;
    bool right;  // in all that was compared
  };
  std::vector<Kernel> kernels;  // those that are right first
};

MatrixView on_device(Dense& matrix, const hpcx::Buffer& memory) {
  MatrixView view = matrix.view();
  view.data = memory.as<double>();
  return view;
}

auto normal_values(unsigned seed, double spread) {
  return [random = std::mt19937_64(seed), normal = std::normal_distribution<double>(), spread](
             std::int64_t, std::int64_t) mutable {
    const double x = normal(random);
    return x * std::exp(spread * normal(random));
  };
}

bool same_bits(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
         (std::isnan(x) && std::isnan(y));
}

/// Columns of C in a kernel's tile; rows: 128.
std::int64_t tile_columns(ProductKernel kernel) {
  return kernel == ProductKernel::Wgmma256 || kernel == ProductKernel::Wgmma256Cluster ? 256 : 128;
}

// --- Bits ----------------------------------------------------------------------------------------

/// Where elements are wrong.
struct Wrong {
  std::int64_t count = 0;
  std::int64_t row = -1, column = -1;  // the first
  std::int64_t last_row = -1, first_column = -1, last_column = -1;

  void add(std::int64_t i, std::int64_t j) {
    if (count++ == 0) {
      row = i;
      column = first_column = last_column = j;
    }
    last_row = std::max(last_row, i);
    first_column = std::min(first_column, j);
    last_column = std::max(last_column, j);
  }
};

/// One product in the device's memory, and what can be asked when it is wrong.
class CheckedProduct {
 public:
  CheckedProduct(hpcx::Device& device, int moduli, Dense a, Dense b)
      : device_(device),
        stream_(device.create_stream(hpcx::Priority::Normal)),
        moduli_(moduli),
        a_(std::move(a)),
        b_(std::move(b)),
        memory_a_(hpcx::testing::upload(device, stream_, a_)),
        memory_b_(hpcx::testing::upload(device, stream_, b_)),
        for_a_(device.allocate(size_of(hpcx::residue_bytes(a_.rows, a_.cols, moduli)))),
        for_b_(device.allocate(size_of(hpcx::residue_bytes(b_.cols, b_.rows, moduli)))),
        product_{.x = hpcx::residue_view(for_a_, a_.rows, a_.cols, moduli),
                 .y = hpcx::residue_view(for_b_, b_.cols, b_.rows, moduli)} {
    product_.rows = a_.rows;
    residues_ = device.allocate(size_of(moduli * product_.plane()));
    product_.out = residues_.as<std::int8_t>();
    device.emulation()->prepare(stream_, on_device(a_, memory_a_), product_.x);
    device.emulation()->prepare(stream_, on_device(b_, memory_b_).transposed(), product_.y);
    stream_.ref().synchronize();
  }

  /// C - A B.
  Dense by(ProductKernel kernel, Dense c) {
    const hpcx::Buffer memory = hpcx::testing::upload(device_, stream_, c);
    require(cudaMemset(product_.out, 77, residues_.bytes()), "memset");
    kernels::launch_product(nullptr, kernel, product_);
    require(cudaDeviceSynchronize(), fmt::format("product by {}", kernels::to_string(kernel)));
    kernels::launch_reconstruction(nullptr, product_, on_device(c, memory));
    require(cudaDeviceSynchronize(), "reconstruction");
    stream_.ref().copy(c.data.data(), memory.as<double>(), 8 * c.data.size());
    stream_.ref().synchronize();
    return c;
  }

  /// Which phase is wrong at an element of C.
  std::string explanation(std::int64_t i, std::int64_t j) {
    const hpcx::testing::HostResidues x(stream_, product_.x), y(stream_, product_.y);
    std::string text;
    const auto operand = [&](const hpcx::testing::HostResidues& made, std::int64_t line,
                             const auto& element, const std::string& name) {
      const std::string wrong = hpcx::testing::wrong_line(
          made, line, hpcx::testing::ExpectedLine(made.view.depth, moduli_, element), name);
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
      const int should = hpcx::testing::expected_product(x, i, y, j, m);
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

 private:
  hpcx::Device& device_;
  hpcx::Stream stream_;
  int moduli_;
  Dense a_, b_;
  hpcx::Buffer memory_a_, memory_b_, for_a_, for_b_, residues_{};
  kernels::ResidueProduct product_;
};

/// Compares small and odd products with the CPU's. All shapes, whatever is wrong.
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
      {700, 900, 2048, {15}}, {513, 4100, 100, {16}}};
  int made = 0, wrong_products = 0;
  for (const auto& [m, n, k, moduli_list] : shapes)
    for (const int moduli : moduli_list) {
      const Dense a = hpcx::testing::dense(m, k, Layout::ColumnMajor, normal_values(1, 1.0));
      const Dense b = hpcx::testing::dense(k, n, Layout::RowMajor, normal_values(2, 1.0));
      const Dense c = hpcx::testing::dense(m, n, Layout::RowMajor, normal_values(3, 1.0));
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
      Dense expected = hpcx::testing::emulated(*cpu, moduli, a, b, c);
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
          hpcx::testing::with_bits(result(wrong.row, wrong.column)),
          hpcx::testing::with_bits(expected(wrong.row, wrong.column)));
      text += product.explanation(wrong.row, wrong.column);
      ++wrong_products <= 3 ? out.say(text) : out.note(text);
    }
  out.say(fmt::format("  {:12} {} of {} products have the bits of the CPU's\n",
                      kernels::to_string(kernel), made - wrong_products, made));
  return wrong_products == 0;
}

enum class Verdict { Right, Wrong, Crashed };

/// check_kernel() in a process of its own.
Verdict check_apart(Output& out, ProductKernel kernel, const std::string& log) {
  constexpr unsigned kSeconds = 60;
  const pid_t child = fork();
  if (child < 0) throw hpcx::Error("cannot start a process");
  if (child == 0) {
    alarm(kSeconds);  // ends the process, and with it what runs on the device
    const char* const name = kernels::to_string(kernel);
    if (log.empty())
      execl("/proc/self/exe", "emulation_bench", "--check", name, static_cast<char*>(nullptr));
    else
      execl("/proc/self/exe", "emulation_bench", "--check", name, "--log", log.c_str(),
            static_cast<char*>(nullptr));
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Verdict::Right;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return Verdict::Wrong;
  out.say(fmt::format("  {:12} {}: not timed\n", kernels::to_string(kernel),
                      WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
                          ? fmt::format("HANGS (over {} s)", kSeconds)
                          : "CRASHED"));
  return Verdict::Crashed;
}

// --- Errors --------------------------------------------------------------------------------------

/// Root mean square and largest error in units of 2^-53 |a_i| |b_j|: which number of moduli is as
/// good as the device's own arithmetic.
void errors(Bench& bench) {
  bench.out.say(
      "\nerror, root mean square / largest, in units of 2^-53 |a_i| |b_j|\n    K     cuBLAS");
  for (int moduli = hpcx::kFewestModuli; moduli <= hpcx::kMostModuli; ++moduli)
    bench.out.say(fmt::format("  {:>14}", fmt::format("{} moduli", moduli)));
  bench.out.say("\n");
  for (const std::int64_t k : {256, 1024, 2048, 4096}) {
    const std::int64_t size = 512;
    Dense a = hpcx::testing::dense(size, k, Layout::ColumnMajor, normal_values(4, 0.0));
    Dense b = hpcx::testing::dense(k, size, Layout::RowMajor, normal_values(5, 0.0));
    Dense c(size, size, Layout::RowMajor);
    std::string line = fmt::format("{:5}", k);
    const auto report = [&](Dense result) {
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
      line += fmt::format("  {:>14}",
                          fmt::format("{:.2g} / {:.2g}", std::sqrt(squares / count), largest));
    };
    report(hpcx::testing::native(bench.device, a, b, c));
    for (int moduli = hpcx::kFewestModuli; moduli <= hpcx::kMostModuli; ++moduli)
      report(CheckedProduct(bench.device, moduli, a, b).by(bench.kernels.front().kernel, c));
    bench.out.say(line + "\n");
  }
}

// --- Times ---------------------------------------------------------------------------------------

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

/// cuBLAS, DGEMM by its own arithmetic or by its emulation.
class Library {
 public:
  Library() { require(cublasCreate(&blas_), "cublasCreate"); }
  ~Library() { cublasDestroy(blas_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// C -= A B. C, by rows, is the transposed of what the library sees: C^T -= B^T A^T.
  void dgemm(const MatrixView& a, const MatrixView& b, const MatrixView& c) {
    const double alpha = -1, beta = 1;
    require(cublasDgemm(blas_, CUBLAS_OP_N, CUBLAS_OP_T, static_cast<int>(c.cols),
                        static_cast<int>(c.rows), static_cast<int>(a.cols), &alpha, b.data,
                        static_cast<int>(b.ld), a.data, static_cast<int>(a.ld), &beta, c.data,
                        static_cast<int>(c.ld)),
            "cublasDgemm");
  }
  /// From here on by its emulation with 55 bits, which are about those of 14 moduli; in a workspace
  /// with room for all slices. Why it has none, empty where it has. FP64 came with 13.1, that of
  /// CUDA 13.0 update 2.
  std::string emulate([[maybe_unused]] hpcx::Device& device) {
#if CUBLAS_VERSION >= 130100
    int version = 0;
    cublasGetVersion(blas_, &version);
    if (version < 130100) return fmt::format("cuBLAS {} has none", version);
    workspace_ = device.allocate(std::size_t{8} << 30);
    for (const cublasStatus_t status :
         {cublasSetWorkspace(blas_, workspace_.as<void>(), workspace_.bytes()),
          cublasSetMathMode(blas_, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH),
          cublasSetEmulationStrategy(blas_, CUBLAS_EMULATION_STRATEGY_EAGER),
          cublasSetFixedPointEmulationMantissaControl(blas_, CUDA_EMULATION_MANTISSA_CONTROL_FIXED),
          cublasSetFixedPointEmulationMaxMantissaBitCount(blas_, 55)})
      if (status != CUBLAS_STATUS_SUCCESS)
        return fmt::format("refused: {}", cublasGetStatusString(status));
    return {};
#else
    return fmt::format("built with cuBLAS {}", CUBLAS_VERSION);
#endif
  }

 private:
  cublasHandle_t blas_ = nullptr;
  hpcx::Buffer workspace_{};
};

struct Sizes {
  std::int64_t size, depth;
  double seconds;
};

/// Lines of a table, a column a number of moduli.
class Table {
 public:
  explicit Table(std::size_t columns) : columns_(columns) {}
  void add(std::size_t column, const std::string& name, const std::string& value) {
    auto found = std::find_if(lines_.begin(), lines_.end(),
                              [&](const auto& line) { return line.first == name; });
    if (found == lines_.end())
      found = lines_.insert(lines_.end(), {name, std::vector<std::string>(columns_)});
    found->second[column] = value;
  }
  std::string text() const {
    std::string all;
    for (const auto& [name, values] : lines_) {
      all += fmt::format("  {:34}", name);
      for (const std::string& value : values)
        all += fmt::format("  {:>24}", value);
      all += "\n";
    }
    return all;
  }

 private:
  std::size_t columns_;
  std::vector<std::pair<std::string, std::vector<std::string>>> lines_;
};

/// Some rows of a product of full size as the CPU makes them: scaling and residues of a line do not
/// depend on the others.
class SomeRows {
 public:
  SomeRows(hpcx::Device& cpu, int moduli, hpcx::StreamRef stream, const MatrixView& a,
           const MatrixView& b, const MatrixView& c)
      : stream_(stream), rows_{0, std::min<std::int64_t>(127, a.rows - 1), a.rows / 3, a.rows - 1} {
    const std::int64_t k = a.cols;
    Dense some_a(count(), k, Layout::RowMajor), all_b(k, c.cols, Layout::RowMajor);
    std::vector<double> whole_a(size_of(a.rows * k));
    stream.copy(whole_a.data(), a.data, 8 * whole_a.size());
    stream.copy(all_b.data.data(), b.data, 8 * all_b.data.size());
    Dense some_c = of(c);
    for (std::int64_t r = 0; r < count(); ++r)
      for (std::int64_t l = 0; l < k; ++l)
        some_a(r, l) = whole_a[size_of(l * a.rows + rows_[size_of(r)])];
    expected_ = hpcx::testing::emulated(cpu, moduli, std::move(some_a), std::move(all_b),
                                        std::move(some_c));
  }

  /// What is wrong with a result; empty where nothing is.
  std::string compare(const MatrixView& result) {
    Dense made = of(result);
    Wrong wrong;
    for (std::int64_t r = 0; r < count(); ++r)
      for (std::int64_t j = 0; j < result.cols; ++j)
        if (!same_bits(made(r, j), expected_(r, j))) wrong.add(r, j);
    if (wrong.count == 0) return {};
    return fmt::format(
        "{} elements of 4 rows, in columns {} to {}, first ({}, {}): is {}, should be {}",
        wrong.count, wrong.first_column, wrong.last_column, rows_[size_of(wrong.row)], wrong.column,
        hpcx::testing::with_bits(made(wrong.row, wrong.column)),
        hpcx::testing::with_bits(expected_(wrong.row, wrong.column)));
  }

 private:
  std::int64_t count() const { return static_cast<std::int64_t>(rows_.size()); }
  Dense of(const MatrixView& matrix) const {
    Dense some(count(), matrix.cols, Layout::RowMajor);
    for (std::int64_t r = 0; r < count(); ++r)
      stream_.copy(&some(r, 0), matrix.data + rows_[size_of(r)] * matrix.ld,
                   size_of(8 * matrix.cols));
    stream_.synchronize();
    return some;
  }

  hpcx::StreamRef stream_;
  std::vector<std::int64_t> rows_;
  Dense expected_{0, 0};
};

/// Returns whether all that was compared is right.
bool times(Bench& bench, hpcx::Device& cpu, const Sizes& sizes,
           const std::vector<int>& moduli_list) {
  hpcx::Device& device = bench.device;
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
  hpcx::Buffer memory_a, memory_b, memory_c, memory_before;
  const MatrixView a = matrix(memory_a, n, k, Layout::ColumnMajor);
  const MatrixView b = matrix(memory_b, k, n, Layout::RowMajor);
  const MatrixView c = matrix(memory_c, n, n, Layout::RowMajor);
  const MatrixView before = matrix(memory_before, n, n, Layout::RowMajor);
  device.synchronize();
  const double flops =
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k);
  const auto rate = [](double operations, double milliseconds) {
    return operations / milliseconds * 1e-9;
  };
  const auto timed = [&](const std::string& what, const std::function<void()>& work) {
    const double milliseconds = time(sizes.seconds, work);
    bench.out.note(fmt::format("{} x {} x {}: {}: {:.4f} ms\n", n, n, k, what, milliseconds));
    return milliseconds;
  };

  bench.out.say(fmt::format("\n{} x {} x {}\n", n, n, k));
  const double native = timed(
      "cuBLAS DGEMM", [&, library = std::make_shared<Library>()] { library->dgemm(a, b, c); });
  bench.out.say(
      fmt::format("  cuBLAS DGEMM {:.3f} ms, {:.1f} TFLOP/s", native, rate(flops, native)));
  {
    const auto emulating = std::make_shared<Library>();
    std::string why;
    double milliseconds = 0;
    try {  // a figure for comparison: nothing else depends on it
      why = emulating->emulate(device);
      if (why.empty()) milliseconds = timed("cuBLAS emulation", [&] { emulating->dgemm(a, b, c); });
    } catch (const hpcx::Error& failure) {
      why = failure.what();
    }
    bench.out.say(why.empty()
                      ? fmt::format("; its own emulation, 55 bits, {:.3f} ms, {:.1f} TFLOP/s\n",
                                    milliseconds, rate(flops, milliseconds))
                      : fmt::format("; its own emulation: {}\n", why));
  }

  Table table(moduli_list.size());
  bool right = true;
  for (std::size_t column = 0; column < moduli_list.size(); ++column) {
    const int moduli = moduli_list[column];
    const std::string of_moduli = fmt::format("{} moduli: ", moduli);
    table.add(column, "", fmt::format("{} moduli", moduli));
    const hpcx::Buffer for_a = device.allocate(size_of(hpcx::residue_bytes(n, k, moduli)));
    const hpcx::Buffer for_b = device.allocate(size_of(hpcx::residue_bytes(n, k, moduli)));
    const ResidueView of_a = hpcx::residue_view(for_a, n, k, moduli);
    const ResidueView of_b = hpcx::residue_view(for_b, n, k, moduli);
    const auto phase = [&](const std::string& what, double operations,
                           const std::function<void()>& work) {
      const double milliseconds = timed(of_moduli + what, work);
      table.add(column, what,
                operations > 0 ? fmt::format("{:.3f} ms {:6.0f} TOPS", milliseconds,
                                             rate(operations, milliseconds))
                               : fmt::format("{:.3f} ms", milliseconds));
      return milliseconds;
    };
    const auto exponents = [&] {
      kernels::launch_exponents(nullptr, a, of_a);
      kernels::launch_exponents(nullptr, b.transposed(), of_b);
    };
    const auto residues = [&] {
      kernels::launch_residues(nullptr, a, of_a);
      kernels::launch_residues(nullptr, b.transposed(), of_b);
    };
    double sum = phase("exponents of A and B", 0, exponents);
    sum += phase("residues of A and B", 0, residues);
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
    const std::int64_t fitting =
        static_cast<std::int64_t>(workspace.bytes()) / (moduli * product.pitch());
    const std::int64_t most = fitting > 256 ? fitting / 256 * 256 : fitting;
    double best = 1e300;
    ProductKernel fastest = bench.kernels.front().kernel;
    for (const auto& [kernel, is_right] : bench.kernels) {
      const double milliseconds = phase(
          fmt::format("products, {}{}", kernels::to_string(kernel), is_right ? "" : ", WRONG"),
          moduli * flops, [&, kernel = kernel] {
            blocks(most, [&] { kernels::launch_product(nullptr, kernel, product); });
          });
      if (milliseconds < best && (is_right || !bench.kernels.front().right)) {
        best = milliseconds;
        fastest = kernel;
      }
    }
    if (fastest != ProductKernel::Mma) {
      product.stages_of_block = 1 << 20;
      phase("the fastest, its blocks to the end", moduli * flops,
            [&] { blocks(most, [&] { kernels::launch_product(nullptr, fastest, product); }); });
      product.stages_of_block = kernels::ResidueProduct{}.stages_of_block;
    }
    const auto reconstruct = [&] {
      kernels::launch_reconstruction(nullptr, product, c.row_range(product.first, product.rows));
    };
    const double reconstruction = phase("reconstruction", 0, [&] { blocks(most, reconstruct); });
    sum += best + reconstruction;
    table.add(column, "sum, fastest products",
              fmt::format("{:.3f} ms {:6.1f} TFLOP/s", sum, rate(flops, sum)));
    const auto all = [&](ProductKernel kernel, std::int64_t rows) {
      exponents();
      residues();
      blocks(rows, [&] {
        kernels::launch_product(nullptr, kernel, product);
        reconstruct();
      });
    };
    double least = 1e300;
    for (const std::int64_t rows :
         {std::int64_t{512}, std::int64_t{1024}, std::int64_t{2048}, most}) {
      if (rows > most) continue;
      const double whole = timed(of_moduli + fmt::format("all, {} rows of C at a time", rows),
                                 [&] { all(fastest, rows); });
      table.add(
          column,
          fmt::format("all, {} rows of C at a time", rows == most ? "most" : std::to_string(rows)),
          fmt::format("{:.3f} ms {:6.1f} TFLOP/s", whole, rate(flops, whole)));
      least = std::min(least, whole);
    }
    table.add(column, "times native", fmt::format("{:.3f}", native / least));

    SomeRows some_rows(cpu, moduli, stream, a, b, before);
    for (const auto& [kernel, is_right] : bench.kernels) {
      require(cudaMemcpy(c.data, before.data, size_of(8 * n * n), cudaMemcpyDeviceToDevice),
              "copy");
      all(kernel, most);
      require(cudaDeviceSynchronize(), kernels::to_string(kernel));
      const std::string wrong = some_rows.compare(c);
      table.add(column, fmt::format("4 rows beside the CPU's, {}", kernels::to_string(kernel)),
                wrong.empty() ? "same bits" : "WRONG");
      if (wrong.empty()) continue;
      right = false;
      bench.out.say(
          fmt::format("  WRONG {} moduli, {}: {}\n", moduli, kernels::to_string(kernel), wrong));
    }
  }
  bench.out.say(table.text());
  return right;
}

}  // namespace

int main(int argc, char** argv) try {
  std::int64_t size = 16384;
  std::vector<std::int64_t> depths{1024, 2048, 4096};
  std::vector<int> moduli{14, 15};
  std::vector<std::string> names;
  std::string check, log;
  double seconds = 0.5;
  bool check_only = false;
  CLI::App app("FP64 products from INT8 tensor cores: bits, errors, times");
  app.add_option("--size", size, "rows and columns of C")->check(CLI::PositiveNumber);
  app.add_option("--depths", depths, "inner dimensions")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  app.add_option("--moduli", moduli, "INT8 products for one of FP64")
      ->delimiter(',')
      ->check(CLI::Range(hpcx::kFewestModuli, hpcx::kMostModuli));
  app.add_option("--kernels", names, "wgmma256x2, wgmma256, wgmma128x2, mma; default: all")
      ->delimiter(',');
  app.add_option("--seconds", seconds, "of each measurement");
  app.add_flag("--check-only", check_only, "compare bits and stop");
  app.add_option("--check", check, "compare the bits of one kernel, in this process, and stop");
  app.add_option("--log", log, "file for all details");
  CLI11_PARSE(app, argc, argv);

  Output out;
  if (!log.empty()) out.open(log, check.empty());
  if (!check.empty()) return check_kernel(out, kernels::product_kernel(check)) ? 0 : 2;

  std::vector<ProductKernel> asked;
  for (const std::string& name : names)
    asked.push_back(kernels::product_kernel(name));
  if (asked.empty())
    asked.assign(std::begin(kernels::kProductKernels), std::end(kernels::kProductKernels));
  if (const std::string why = hpcx::why_unavailable(hpcx::Backend::Cuda); !why.empty()) {
    out.say(fmt::format("no CUDA device: {}\n", why));
    return 0;
  }
  // Before this process has the device: it may be for one alone.
  out.say("bits, beside the CPU's\n");
  bool right = true;
  std::map<ProductKernel, Verdict> verdicts;
  for (const ProductKernel kernel : asked) {
    verdicts[kernel] = check_apart(out, kernel, log);
    right = right && verdicts[kernel] == Verdict::Right;
  }
  const auto device = hpcx::open_device({.backend = hpcx::Backend::Cuda});
  out.say(fmt::format("{}: {}\n", device->properties().name, device->properties().description));
  Bench bench{*device, out, {}};
  for (const ProductKernel kernel : asked)
    if (kernels::available(kernel) && verdicts[kernel] != Verdict::Crashed)
      bench.kernels.push_back({kernel, verdicts[kernel] == Verdict::Right});
  std::stable_partition(bench.kernels.begin(), bench.kernels.end(),
                        [](const Bench::Kernel& kernel) { return kernel.right; });
  if (check_only || bench.kernels.empty()) return right ? 0 : 2;
  const auto cpu = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.threads = 8}});
  errors(bench);
  for (const std::int64_t depth : depths)
    right = times(bench, *cpu, {size, depth, seconds}, moduli) && right;
  return right ? 0 : 2;
} catch (const std::exception& failure) {
  fmt::print(stderr, "emulation_bench: {}\n", failure.what());
  return 1;
}
