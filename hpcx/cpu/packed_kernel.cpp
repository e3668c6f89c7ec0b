#include "cpu/packed_kernel.h"

#include <algorithm>

#include "hpcx/error.h"

#ifdef __x86_64__
#include <immintrin.h>

namespace hpcx::cpu {

namespace {

constexpr int kRows = kStripRows, kVectors = kStripColumns / 8;

}  // namespace

bool has_packed_kernel() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0;
  return has;
}

// No prefetches of packed strips: the processor sees their streams, and on cores that share a
// cache with others these cost up to a fifth of the rate.
__attribute__((target("avx512f"))) void add_tile(const PackedTile& tile, double* c,
                                                 std::int64_t ld) {
  __m512d sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = _mm512_setzero_pd();
      _mm_prefetch(reinterpret_cast<const char*>(c + i * ld + 8 * v), _MM_HINT_T0);
    }
  const double *a = tile.a, *b = tile.b;
  for (std::int64_t k = 0; k < tile.depth; ++k, a += kStripRows, b += kStripColumns) {
    __m512d row[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v)
      row[v] = _mm512_load_pd(b + 8 * v);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const __m512d factor = _mm512_set1_pd(a[i]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v)
        sums[i][v] = _mm512_fmadd_pd(factor, row[v], sums[i][v]);
    }
  }
  const __m512d alpha = _mm512_set1_pd(tile.alpha);
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      double* const place = c + i * ld + 8 * v;
      _mm512_storeu_pd(place, _mm512_fmadd_pd(alpha, sums[i][v], _mm512_loadu_pd(place)));
    }
}

}  // namespace hpcx::cpu

#else

namespace hpcx::cpu {

bool has_packed_kernel() {
  return false;
}

void add_tile(const PackedTile&, double*, std::int64_t) {
  throw Error("the kernel of packed products is of processors with AVX-512");
}

}  // namespace hpcx::cpu

#endif
