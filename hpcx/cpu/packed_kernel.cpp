#include "cpu/packed_kernel.h"

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

__attribute__((target("avx512f"))) void add_tile(const PackedTile& tile, double* c,
                                                 std::int64_t ld) {
  __m512d sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v)
      sums[i][v] = _mm512_setzero_pd();
  const double *a = tile.a, *b = tile.b, *next = tile.next;
  // A row of C at a time, and of the next strip: all at once would fill the buffers of what is on
  // its way to the first cache, and the sums would wait for theirs.
  for (int part = 0; part < kRows; ++part) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v)
      _mm_prefetch(reinterpret_cast<const char*>(c + part * ld + 8 * v), _MM_HINT_T0);
    for (std::int64_t line = 0; line < tile.next_lines; ++line, next += 8)
      _mm_prefetch(reinterpret_cast<const char*>(next), _MM_HINT_T1);
    const std::int64_t end = tile.depth * (part + 1) / kRows;
    for (std::int64_t k = tile.depth * part / kRows; k < end;
         ++k, a += kStripRows, b += kStripColumns) {
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
