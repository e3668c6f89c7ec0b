#include "emulation_times.h"

#include <cublas_v2.h>

#include <functional>
#include <memory>
#include <utility>

#include "gpu/blas_calls.h"
#include "support/emulated_product.h"
#include "support/residue_check.h"

namespace hpcx::emulation_bench {

namespace {

using hpcx::test::Dense;

void require_blas(cublasStatus_t status, const std::string& what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw hpcx::Error(fmt::format("{}: {}", what, cublasGetStatusString(status)));
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

/// cuBLAS, DGEMM by its own arithmetic or by its emulation.
class Library {
 public:
  Library() { require_blas(cublasCreate(&blas_), "cublasCreate"); }
  ~Library() { cublasDestroy(blas_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// C -= A B. C, by rows, is the transposed of what the library sees: C^T -= B^T A^T.
  void dgemm(const MatrixView& a, const MatrixView& b, const MatrixView& c) {
    const double alpha = -1, beta = 1;
    require_blas(cublasDgemm(blas_, CUBLAS_OP_N, CUBLAS_OP_T, static_cast<int>(c.cols),
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
    expected_ =
        hpcx::test::emulated(cpu, moduli, std::move(some_a), std::move(all_b), std::move(some_c));
  }

  /// The faults of a result; empty if there are none.
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
        hpcx::test::with_bits(made(wrong.row, wrong.column)),
        hpcx::test::with_bits(expected_(wrong.row, wrong.column)));
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

}  // namespace

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
    device.kernels().generate(stream, {n, {n, n, 0}, {n, n, 0}}, view);
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
  const auto library = std::make_shared<Library>();
  const auto native_product = [&] { library->dgemm(a, b, c); };
  const double native = timed("cuBLAS DGEMM", native_product);
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
    gpu_cuda::BlasContext blas(nullptr);
    product.blas = &blas;
    const auto blocks = [&](std::int64_t rows, const auto& work) {
      for (product.first = 0; product.first < n; product.first += product.rows) {
        product.rows = std::min(rows, n - product.first);
        work();
      }
    };
    const std::int64_t usual =  // as runs do
        hpcx::emulation_block_rows(n, n, moduli, static_cast<std::int64_t>(workspace.bytes()));
    const hpcx::Buffer sums = device.allocate(size_of(4 * usual * product.pitch()));
    product.sums = sums.as<std::int32_t>();
    double best = 1e300;
    ProductKernel fastest = bench.kernels.front().kernel;
    for (const auto& [kernel, is_right] : bench.kernels) {
      const double milliseconds = phase(
          fmt::format("products, {}{}", kernels::to_string(kernel), is_right ? "" : ", WRONG"),
          moduli * flops, [&, kernel = kernel] {
            blocks(usual, [&] { kernels::launch_product(nullptr, kernel, product); });
          });
      if (milliseconds < best && (is_right || !bench.kernels.front().right)) {
        best = milliseconds;
        fastest = kernel;
      }
    }
    if (fastest != ProductKernel::Mma && fastest != ProductKernel::Library) {
      product.stages_of_block = 1 << 20;
      phase("the fastest, its blocks to the end", moduli * flops,
            [&] { blocks(usual, [&] { kernels::launch_product(nullptr, fastest, product); }); });
      product.stages_of_block = kernels::ResidueProduct{}.stages_of_block;
    }
    const auto reconstruct = [&] {
      kernels::launch_reconstruction(nullptr, product, -1,
                                     c.row_range(product.first, product.rows));
    };
    const double reconstruction = phase("reconstruction", 0, [&] { blocks(usual, reconstruct); });
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
    for (const std::int64_t rows :
         {std::int64_t{512}, std::int64_t{1024}, std::int64_t{2048}, usual}) {
      if (rows > usual) continue;
      const std::string name =
          fmt::format("all, {} rows of C at a time{}", rows, rows == usual ? " (runs)" : "");
      const double whole = timed(of_moduli + name, [&] { all(fastest, rows); });
      table.add(column, name, fmt::format("{:.3f} ms {:6.1f} TFLOP/s", whole, rate(flops, whole)));
    }
    // In turns, on a chip that both have heated: either alone would run at another clock.
    double by_library = 0, by_moduli = 0;
    for (int round = 1; round <= 4; ++round) {
      by_library += timed(fmt::format("in turns, round {}, cuBLAS DGEMM", round), native_product);
      by_moduli +=
          timed(of_moduli + fmt::format("in turns, round {}", round), [&] { all(fastest, usual); });
    }
    table.add(column, "in turns with cuBLAS DGEMM",
              fmt::format("{:.3f} ms {:6.1f} TFLOP/s", by_moduli / 4, rate(flops, by_moduli / 4)));
    table.add(
        column, "cuBLAS DGEMM meanwhile",
        fmt::format("{:.3f} ms {:6.1f} TFLOP/s", by_library / 4, rate(flops, by_library / 4)));
    table.add(column, "times native", fmt::format("{:.3f}", by_library / by_moduli));

    SomeRows some_rows(cpu, moduli, stream, a, b, before);
    for (const auto& [kernel, is_right] : bench.kernels) {
      require(cudaMemcpy(c.data, before.data, size_of(8 * n * n), cudaMemcpyDeviceToDevice),
              "copy");
      all(kernel, usual);
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

}  // namespace hpcx::emulation_bench
