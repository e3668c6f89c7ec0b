#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gpu/check.h"
#include "hpcx/error.h"
#include "panel/factorizer.h"

/// Panels in device memory, factorized by the panel solver or the library, timed and checked.
namespace hpcx::gpu_cuda::bench {

inline constexpr double kEpsilon = 0x1p-53;

inline void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "failed: %s (%s)\n", what, cudaGetErrorString(cudaGetLastError()));
  std::exit(1);
}

template <class T>
class Array {
 public:
  explicit Array(std::size_t count) : bytes_(std::max<std::size_t>(count, 1) * sizeof(T)) {
    HPCX_CHECK(cudaMalloc(&data_, bytes_));
    HPCX_CHECK(cudaMemset(data_, 0, bytes_));
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { static_cast<void>(cudaFree(data_)); }
  T* get() const { return static_cast<T*>(data_); }
  std::size_t bytes() const { return bytes_; }
  std::vector<T> host(std::size_t count) const {
    std::vector<T> values(count);
    HPCX_CHECK(cudaMemcpy(values.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

static __global__ void fill_random(double* a, std::int64_t count, std::uint64_t seed) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    std::uint64_t x = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    a[i] = static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53 - 0.5;
  }
}

static __global__ void exchange_rows_of_columns(double* a, std::int64_t ld, int cols,
                                                const std::int64_t* pivots, int steps) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (col >= cols) return;
  double* column = a + col * ld;
  for (int k = 0; k < steps; ++k) {
    const double value = column[k];
    column[k] = column[pivots[k]];
    column[pivots[k]] = value;
  }
}

/// lower (rows x steps, unit diagonal) and upper (steps x cols) of the factors.
static __global__ void split_factors(const double* lu, std::int64_t ld, int rows, int cols,
                                     int steps, double* lower, double* upper) {
  const std::int64_t count = std::int64_t{rows} * cols;
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const std::int64_t row = i % rows, col = i / rows;
    const double value = lu[row + col * ld];
    if (col < steps) lower[row + col * rows] = row > col ? value : row == col ? 1.0 : 0.0;
    if (row < steps) upper[row + col * steps] = row <= col ? value : 0.0;
  }
}

static __global__ void sum_columns(const double* a, std::int64_t ld, int rows, double* sums) {
  __shared__ double partial[256];
  double sum = 0;
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += 256)
    sum += fabs(a[row + blockIdx.x * ld]);
  partial[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 256; ++i)
    sum += partial[i];
  sums[blockIdx.x] = sum;
}

inline double norm1(const double* a, std::int64_t ld, int rows, int cols) {
  const Array<double> sums(static_cast<std::size_t>(cols));
  sum_columns<<<static_cast<unsigned>(cols), 256>>>(a, ld, rows, sums.get());
  double norm = 0;
  for (const double sum : sums.host(static_cast<std::size_t>(cols)))
    norm = sum > norm || std::isnan(sum) ? sum : norm;
  return norm;
}

struct Size {
  int rows = 0, cols = 0, pad = 0;
  std::int64_t ld() const { return rows + pad; }
  std::size_t count() const { return static_cast<std::size_t>(ld() * cols); }
  int steps() const { return std::min(rows, cols); }
};

struct Variant {
  std::string name;
  PanelTuning tuning;
};

struct Chip {
  cublasHandle_t blas = nullptr;
  cusolverDnHandle_t solver = nullptr;
  cudaStream_t high = nullptr, low = nullptr;
  int multiprocessors = 0;

  Chip() {
    int least = 0, greatest = 0;
    HPCX_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    HPCX_CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    HPCX_CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    require(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    require(cusolverDnCreate(&solver) == CUSOLVER_STATUS_SUCCESS, "cusolverDnCreate");
    HPCX_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  }
  PanelTuning tuning(int blocks, int window, bool cooperative) const {
    return {.blocks = std::min(blocks, multiprocessors),
            .multiprocessors = multiprocessors,
            .window = window,
            .cooperative = cooperative};
  }
  /// Panels of few rows by one cluster, in windows of `window` columns.
  PanelTuning clustered(int blocks, int window) const {
    PanelTuning result = tuning(multiprocessors, 256, true);
    result.cluster_blocks = blocks;
    result.cluster_window = window;
    return result;
  }
};

/// One matrix, what it was, and how its factorizations are timed and checked.
class Trial {
 public:
  Trial(Chip& chip, Size size, int repeats = 3)
      : chip_(chip),
        size_(size),
        repeats_(repeats),
        original_(size.count()),
        work_(size.count()),
        pivots_(static_cast<std::size_t>(size.steps())),
        zero_column_(1),
        exchange_(kExchangeBytes / sizeof(std::uint64_t)) {
    fill_random<<<1024, 256>>>(original_.get(), static_cast<std::int64_t>(size.count()), 1);
    norm_ = norm1(original_.get(), size.ld(), size.rows, size.cols);
    HPCX_CHECK(cudaDeviceSynchronize());
  }

  void restore() {
    HPCX_CHECK(cudaMemcpy(work_.get(), original_.get(), work_.bytes(), cudaMemcpyDeviceToDevice));
    HPCX_CHECK(cudaDeviceSynchronize());
  }

  void factorize(PanelFactorizer& factorizer) {
    require(cublasSetStream(chip_.blas, chip_.high) == CUBLAS_STATUS_SUCCESS, "cublasSetStream");
    factorizer.factorize(chip_.high,
                         {.matrix = {work_.get(), size_.rows, size_.cols, size_.ld()},
                          .pivots = pivots_.get(),
                          .zero_column = zero_column_.get()},
                         [this](MatrixView c, ConstMatrixView a, ConstMatrixView b) {
                           const double minus = -1, one = 1;
                           require(
                               cublasDgemm_64(chip_.blas, CUBLAS_OP_N, CUBLAS_OP_N, c.rows, c.cols,
                                              a.cols, &minus, a.data, a.ld, b.data, b.ld, &one,
                                              c.data, c.ld) == CUBLAS_STATUS_SUCCESS,
                               "cublasDgemm");
                         });
  }

  PanelFactorizer make(const PanelTuning& tuning) {
    HPCX_CHECK(cudaMemset(exchange_.get(), 0, exchange_.bytes()));
    HPCX_CHECK(cudaDeviceSynchronize());
    return PanelFactorizer(tuning, exchange_.get());
  }

  /// Milliseconds, the best of `repeats`.
  double time(PanelFactorizer& factorizer) {
    return best_of_all([&] { factorize(factorizer); });
  }

  double time_library() {
    int bytes = 0;
    require(cusolverDnSetStream(chip_.solver, chip_.high) == CUSOLVER_STATUS_SUCCESS, "stream");
    require(cusolverDnDgetrf_bufferSize(chip_.solver, size_.rows, size_.cols, work_.get(),
                                        static_cast<int>(size_.ld()),
                                        &bytes) == CUSOLVER_STATUS_SUCCESS,
            "getrf size");
    const Array<double> workspace(static_cast<std::size_t>(bytes));
    const Array<int> pivots(static_cast<std::size_t>(size_.steps())), info(1);
    const double best = best_of_all([&] {
      require(cusolverDnDgetrf(chip_.solver, size_.rows, size_.cols, work_.get(),
                               static_cast<int>(size_.ld()), workspace.get(), pivots.get(),
                               info.get()) == CUSOLVER_STATUS_SUCCESS,
              "getrf");
    });
    library_pivots_ = pivots.host(static_cast<std::size_t>(size_.steps()));
    return best;
  }

  /// Columns whose pivot is not the library's.
  int pivots_that_differ() const {
    const auto pivots = pivots_.host(static_cast<std::size_t>(size_.steps()));
    int count = 0;
    for (std::size_t k = 0; k < pivots.size(); ++k)
      count += pivots[k] + 1 != library_pivots_[k];
    return count;
  }

  std::int64_t zero_column() const { return zero_column_.host(1)[0]; }

  /// |P A - L U| / (|A| cols eps), 1-norms; below 1 is as good as LAPACK's.
  double residual() {
    const int steps = size_.steps();
    const auto rows = static_cast<std::size_t>(size_.rows);
    const auto cols = static_cast<std::size_t>(size_.cols);
    const auto pivots = pivots_.host(static_cast<std::size_t>(steps));
    for (int k = 0; k < steps; ++k) {
      const std::int64_t pivot = pivots[static_cast<std::size_t>(k)];
      if (pivot < k || pivot >= size_.rows) return std::nan("");
    }
    const Array<double> difference(size_.count());
    const Array<double> lower(rows * static_cast<std::size_t>(steps));
    const Array<double> upper(static_cast<std::size_t>(steps) * cols);
    HPCX_CHECK(
        cudaMemcpy(difference.get(), original_.get(), original_.bytes(), cudaMemcpyDeviceToDevice));
    exchange_rows_of_columns<<<static_cast<unsigned>(size_.cols + 127) / 128, 128>>>(
        difference.get(), size_.ld(), size_.cols, pivots_.get(), steps);
    split_factors<<<1024, 256>>>(work_.get(), size_.ld(), size_.rows, size_.cols, steps,
                                 lower.get(), upper.get());
    HPCX_CHECK(cudaDeviceSynchronize());
    const double minus = -1, one = 1;
    require(cublasDgemm_64(chip_.blas, CUBLAS_OP_N, CUBLAS_OP_N, size_.rows, size_.cols, steps,
                           &minus, lower.get(), size_.rows, upper.get(), steps, &one,
                           difference.get(), size_.ld()) == CUBLAS_STATUS_SUCCESS,
            "cublasDgemm");
    HPCX_CHECK(cudaDeviceSynchronize());
    return norm1(difference.get(), size_.ld(), size_.rows, size_.cols) /
           (norm_ * size_.cols * kEpsilon);
  }

 private:
  template <class Body>
  double best_of_all(const Body& body) {
    cudaEvent_t begin = nullptr, end = nullptr;
    HPCX_CHECK(cudaEventCreate(&begin));
    HPCX_CHECK(cudaEventCreate(&end));
    float best = 1e30f;
    for (int i = 0; i < repeats_; ++i) {
      restore();
      HPCX_CHECK(cudaEventRecord(begin, chip_.high));
      body();
      HPCX_CHECK(cudaEventRecord(end, chip_.high));
      HPCX_CHECK(cudaEventSynchronize(end));
      float milliseconds = 0;
      HPCX_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
      best = std::min(best, milliseconds);
    }
    HPCX_CHECK(cudaEventDestroy(begin));
    HPCX_CHECK(cudaEventDestroy(end));
    return best;
  }

  Chip& chip_;
  Size size_;
  int repeats_;
  Array<double> original_, work_;
  Array<std::int64_t> pivots_, zero_column_;
  Array<std::uint64_t> exchange_;
  std::vector<int> library_pivots_;
  double norm_ = 0;
};

}  // namespace hpcx::gpu_cuda::bench
