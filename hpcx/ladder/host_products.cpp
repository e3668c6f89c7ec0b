#include "ladder/host_products.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define HPCX_LADDER_X86
#endif
#define HPCX_LADDER_INLINE inline __attribute__((always_inline))

namespace hpcx::ladder {

namespace {

template <class T, int kBytes>
using Vector __attribute__((vector_size(kBytes))) = T;

/// Neighbouring values from any address: one instruction.
template <class T, class V>
HPCX_LADDER_INLINE void load(const T* from, V& to) {
  std::memcpy(&to, from, sizeof(V));
}

template <class T, int kBytes>
constexpr std::int64_t kLanes = kBytes / static_cast<int>(sizeof(T));

struct Range {
  std::int64_t begin, end;
};

/// C(i, j) (+)= A(i, k) B(k, j) over `ks`, for the columns `js` of row i.
template <class T, int kBytes>
HPCX_LADDER_INLINE void row_times_columns(const HostRows<T>& x, std::int64_t i, Range js,
                                          Range ks) {
  const auto [j0, j1] = js;
  const auto [k0, k1] = ks;
  using V = Vector<T, kBytes>;
  const T* const a = x.a + i * x.lda;
  T* const c = x.c + i * x.ldc;
  std::int64_t j = j0;
  for (; j + kLanes<T, kBytes> <= j1; j += kLanes<T, kBytes>) {
    V sum{}, b;
    if (k0 > 0) load(c + j, sum);
    for (std::int64_t k = k0; k < k1; ++k) {
      load(x.b + k * x.ldb + j, b);
      sum += a[k] * b;
    }
    std::memcpy(c + j, &sum, sizeof(V));
  }
  for (; j < j1; ++j) {
    T sum = k0 > 0 ? c[j] : T{0};
    for (std::int64_t k = k0; k < k1; ++k)
      sum += a[k] * x.b[k * x.ldb + j];
    c[j] = sum;
  }
}

template <class T, int kBytes>
HPCX_LADDER_INLINE void by_rows(const HostRows<T>& x) {
  for (std::int64_t i = x.first; i < x.last; ++i)
    row_times_columns<T, kBytes>(x, i, {0, x.n}, {0, x.k});
}

template <class T, int kBytes>
HPCX_LADDER_INLINE void by_blocks(const HostRows<T>& x) {
  for (std::int64_t i0 = x.first; i0 < x.last; i0 += x.block)
    for (std::int64_t j0 = 0; j0 < x.n; j0 += x.block)
      for (std::int64_t k0 = 0; k0 == 0 || k0 < x.k; k0 += x.block)
        for (std::int64_t i = i0; i < std::min(i0 + x.block, x.last); ++i)
          row_times_columns<T, kBytes>(x, i, {j0, std::min(j0 + x.block, x.n)},
                                       {k0, std::min(k0 + x.block, x.k)});
}

template <class T, int kBytes>
HPCX_LADDER_INLINE void by_dot_products(const HostRows<T>& x) {
  using V = Vector<T, kBytes>;
  constexpr std::int64_t lanes = kLanes<T, kBytes>;
  for (std::int64_t j0 = 0; j0 < x.n; j0 += x.block)
    for (std::int64_t i = x.first; i < x.last; ++i)
      for (std::int64_t j = j0; j < std::min(j0 + x.block, x.n); ++j) {
        const T* const a = x.a + i * x.lda;
        const T* const b = x.b + j * x.ldb;
        V sums{}, from_a, from_b;
        std::int64_t k = 0;
        for (; k + lanes <= x.k; k += lanes) {
          load(a + k, from_a);
          load(b + k, from_b);
          sums += from_a * from_b;
        }
        T sum{0};
        for (std::int64_t l = 0; l < lanes; ++l)
          sum += sums[l];
        for (; k < x.k; ++k)
          sum += a[k] * b[k];
        x.c[i * x.ldc + j] = sum;
      }
}

/// Column after column: g(c) = sum of a(i, j) a(i, c) over the rows below j is the norm of the
/// reflector and its product with all columns in one sweep.
HPCX_LADDER_INLINE void reflect(double (*a)[kMostTallColumns], std::int64_t rows,
                                std::int64_t cols) {
  for (std::int64_t j = 0; j < std::min(rows, cols); ++j) {
    double g[kMostTallColumns] = {};
    for (std::int64_t i = j + 1; i < rows; ++i)
      for (std::int64_t c = 0; c < kMostTallColumns; ++c)
        g[c] += a[i][j] * a[i][c];
    if (g[j] == 0) continue;  // nothing to annihilate
    const double alpha = a[j][j];
    const double beta = -std::copysign(std::sqrt(alpha * alpha + g[j]), alpha);
    const double tau = (beta - alpha) / beta, scale = 1 / (alpha - beta);
    double w[kMostTallColumns];  // tau (a(j, c) + v^T a(:, c))
    for (std::int64_t c = 0; c < kMostTallColumns; ++c)
      w[c] = c > j ? tau * (a[j][c] + scale * g[c]) : 0.0;
    for (std::int64_t c = 0; c < kMostTallColumns; ++c)
      a[j][c] -= w[c];
    for (std::int64_t i = j + 1; i < rows; ++i) {
      const double v = scale * a[i][j];
      for (std::int64_t c = 0; c < kMostTallColumns; ++c)
        a[i][c] -= v * w[c];
    }
    a[j][j] = beta;
  }
}

#define HPCX_LADDER_VARIANT(name, bytes, ...)                                      \
  template <class T>                                                               \
  __VA_ARGS__ void name##_simd(const HostRows<T>& x) {                             \
    by_rows<T, bytes>(x);                                                          \
  }                                                                                \
  template <class T>                                                               \
  __VA_ARGS__ void name##_blocked(const HostRows<T>& x) {                          \
    by_blocks<T, bytes>(x);                                                        \
  }                                                                                \
  template <class T>                                                               \
  __VA_ARGS__ void name##_transposed(const HostRows<T>& x) {                       \
    by_dot_products<T, bytes>(x);                                                  \
  }                                                                                \
  __VA_ARGS__ void name##_reflect(double(*a)[kMostTallColumns], std::int64_t rows, \
                                  std::int64_t cols) {                             \
    reflect(a, rows, cols);                                                        \
  }

HPCX_LADDER_VARIANT(plain, 16, )
#ifdef HPCX_LADDER_X86
HPCX_LADDER_VARIANT(avx2, 32, __attribute__((target("avx2,fma"))))
HPCX_LADDER_VARIANT(avx512, 64, __attribute__((target("avx512f,avx512vl,avx2,fma"))))

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
}
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

}  // namespace

template <class T>
HostKernels<T> host_kernels() {
#ifdef HPCX_LADDER_X86
  if (has_avx512()) return {avx512_simd<T>, avx512_blocked<T>, avx512_transposed<T>};
  if (has_avx2()) return {avx2_simd<T>, avx2_blocked<T>, avx2_transposed<T>};
#endif
  return {plain_simd<T>, plain_blocked<T>, plain_transposed<T>};
}

template <class T>
void multiply_by_loops(const HostRows<T>& x) {
  for (std::int64_t i = x.first; i < x.last; ++i)
    for (std::int64_t j = 0; j < x.n; ++j) {
      T sum{0};
      for (std::int64_t k = 0; k < x.k; ++k)
        sum += x.a[i * x.lda + k] * x.b[k * x.ldb + j];
      x.c[i * x.ldc + j] = sum;
      // Keeps the compiler from exchanging the loops: that is the next rung.
      asm volatile("" ::: "memory");
    }
}

void factorize_tall_leaf(const TallSource& source, std::int64_t first, std::int64_t count,
                         double* r) {
  alignas(64) double a[kTallLeafRows][kMostTallColumns];
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < kMostTallColumns; ++j)
      a[i][j] = j < source.cols ? source(first + i, j) : 0.0;
#ifdef HPCX_LADDER_X86
  if (has_avx512())
    avx512_reflect(a, count, source.cols);
  else if (has_avx2())
    avx2_reflect(a, count, source.cols);
  else
#endif
    plain_reflect(a, count, source.cols);
  for (std::int64_t j = 0; j < source.cols; ++j)
    for (std::int64_t i = 0; i < source.cols; ++i)
      r[j * source.cols + i] = i <= j && i < count ? a[i][j] : 0.0;
}

template HostKernels<double> host_kernels();
template HostKernels<float> host_kernels();
template void multiply_by_loops(const HostRows<double>&);
template void multiply_by_loops(const HostRows<float>&);

}  // namespace hpcx::ladder
