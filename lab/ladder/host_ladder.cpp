#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "cpu/cpu_device.h"
#include "hpcx/blas.h"
#include "hpcx/error.h"
#include "ladder/ladder.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HPCX_LADDER_X86
#endif
#define HPCX_LADDER_INLINE inline __attribute__((always_inline))

namespace hpcx::cpu {

namespace {

template <class T, int kBytes>
using Wide __attribute__((vector_size(kBytes))) = T;

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
HPCX_LADDER_INLINE void row_times_columns(const BasicProduct<T>& x, std::int64_t i, Range js,
                                          Range ks) {
  const auto [j0, j1] = js;
  const auto [k0, k1] = ks;
  using V = Wide<T, kBytes>;
  const T* const a = x.a.data + i * x.a.ld;
  T* const c = x.c.data + i * x.c.ld;
  std::int64_t j = j0;
  for (; j + kLanes<T, kBytes> <= j1; j += kLanes<T, kBytes>) {
    V sum{}, b;
    if (k0 > 0) load(c + j, sum);
    for (std::int64_t k = k0; k < k1; ++k) {
      load(x.b.data + k * x.b.ld + j, b);
      sum += a[k] * b;
    }
    std::memcpy(c + j, &sum, sizeof(V));
  }
  for (; j < j1; ++j) {
    T sum = k0 > 0 ? c[j] : T{0};
    for (std::int64_t k = k0; k < k1; ++k)
      sum += a[k] * x.b.data[k * x.b.ld + j];
    c[j] = sum;
  }
}

template <class T, int kBytes>
HPCX_LADDER_INLINE void by_rows(const BasicProduct<T>& x) {
  for (std::int64_t i = 0; i < x.c.rows; ++i)
    row_times_columns<T, kBytes>(x, i, {0, x.c.cols}, {0, x.a.cols});
}

template <class T, int kBytes>
HPCX_LADDER_INLINE void by_blocks(const BasicProduct<T>& x, std::int64_t block) {
  for (std::int64_t i0 = 0; i0 < x.c.rows; i0 += block)
    for (std::int64_t j0 = 0; j0 < x.c.cols; j0 += block)
      for (std::int64_t k0 = 0; k0 == 0 || k0 < x.a.cols; k0 += block)
        for (std::int64_t i = i0; i < std::min(i0 + block, x.c.rows); ++i)
          row_times_columns<T, kBytes>(x, i, {j0, std::min(j0 + block, x.c.cols)},
                                       {k0, std::min(k0 + block, x.a.cols)});
}

template <class T, int kBytes>
HPCX_LADDER_INLINE void by_dot_products(const BasicProduct<T>& x, std::int64_t block) {
  using V = Wide<T, kBytes>;
  constexpr std::int64_t lanes = kLanes<T, kBytes>;
  for (std::int64_t j0 = 0; j0 < x.c.cols; j0 += block)
    for (std::int64_t i = 0; i < x.c.rows; ++i)
      for (std::int64_t j = j0; j < std::min(j0 + block, x.c.cols); ++j) {
        const T* const a = x.a.data + i * x.a.ld;
        const T* const b = x.b.data + j * x.b.ld;
        V sums{}, from_a, from_b;
        std::int64_t k = 0;
        for (; k + lanes <= x.a.cols; k += lanes) {
          load(a + k, from_a);
          load(b + k, from_b);
          sums += from_a * from_b;
        }
        T sum{0};
        for (std::int64_t l = 0; l < lanes; ++l)
          sum += sums[l];
        for (; k < x.a.cols; ++k)
          sum += a[k] * b[k];
        x.c.data[i * x.c.ld + j] = sum;
      }
}

template <class T, int kBytes>
HPCX_LADDER_INLINE void by_vectors(LadderRung rung, const BasicProduct<T>& x) {
  if (rung.kind == LadderKind::Simd) return by_rows<T, kBytes>(x);
  if (rung.kind == LadderKind::Blocked) return by_blocks<T, kBytes>(x, rung.parameter);
  by_dot_products<T, kBytes>(x, rung.parameter);
}

/// The functions that are compiled for one kind of vectors.
#define HPCX_LADDER_VARIANT(Name, bytes, ...)                                     \
  struct Name {                                                                   \
    template <class T>                                                            \
    __VA_ARGS__ static void multiply(LadderRung rung, const BasicProduct<T>& x) { \
      by_vectors<T, bytes>(rung, x);                                              \
    }                                                                             \
  };

HPCX_LADDER_VARIANT(Plain, 16, )
#ifdef HPCX_LADDER_X86
HPCX_LADDER_VARIANT(Avx2, 32, __attribute__((target("avx2,fma"))))
HPCX_LADDER_VARIANT(Avx512, 64, __attribute__((target("avx512f,avx512vl,avx2,fma"))))
#endif

/// Calls use() with the variant of this processor's vectors.
template <class Use>
void with_vectors(const Use& use) {
#ifdef HPCX_LADDER_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return use(Avx512());
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return use(Avx2());
#endif
  use(Plain());
}

template <class T>
void by_loops(const BasicProduct<T>& x) {
  for (std::int64_t i = 0; i < x.c.rows; ++i)
    for (std::int64_t j = 0; j < x.c.cols; ++j) {
      T sum{0};
      for (std::int64_t k = 0; k < x.a.cols; ++k)
        sum += x.a.data[i * x.a.ld + k] * x.b.data[k * x.b.ld + j];
      x.c.data[i * x.c.ld + j] = sum;
      // Keeps the compiler from exchanging the loops: that is the next rung.
      asm volatile("" ::: "memory");
    }
}

/// C := A B by a rung by hand, for one thread; for Transposed B is ColumnMajor.
template <class T>
void multiply_by_hand(LadderRung rung, const BasicProduct<T>& product) {
  if (rung.kind == LadderKind::Loops) return by_loops(product);  // not compiled for any vectors
  with_vectors([&](auto variant) { variant.multiply(rung, product); });
}

/// Rows of C that a thread takes at once, so that each has several turns.
std::int64_t rows_at_once(std::int64_t rows, int threads, std::int64_t multiple) {
  const std::int64_t part = (rows + 4 * threads - 1) / (4 * threads);
  return (part + multiple - 1) / multiple * multiple;
}

/// body(product of a range of rows of C), `at_once` rows a task.
template <class T, class Body>
void launch_rows(StreamRef stream, std::int64_t at_once, const BasicProduct<T>& p, Body body) {
  const std::int64_t rows = p.c.rows, cols = p.c.cols;
  launch(stream, (rows + at_once - 1) / at_once, [=](std::int64_t part) {
    const std::int64_t first = part * at_once;
    body(p.block(first, 0, std::min(at_once, rows - first), cols));
  });
}

class HostLadder final : public Ladder {
 public:
  std::vector<LadderRung> rungs() const override {
    std::vector<LadderRung> all{{LadderKind::Loops, 0}, {LadderKind::Simd, 0}};
    for (const int block : {16, 32, 64, 128, 256})
      all.push_back({LadderKind::Blocked, block});
    all.push_back({LadderKind::Transposed, 64});
    all.push_back({LadderKind::Library, 0});
    return all;
  }
  void multiply(StreamRef stream, LadderRung rung, const LadderProduct& product) override {
    std::visit([&](const auto& p) { multiply_any(stream, rung, p); }, product);
  }

 private:
  template <class T>
  static void multiply_any(StreamRef stream, LadderRung rung, const BasicProduct<T>& p) {
    HPCX_ASSERT(is_plain(p));
    if (p.c.empty()) return;
    const std::int64_t rows = p.c.rows;
    const int threads = thread_count(stream);
    const auto by_hand = [rung](const BasicProduct<T>& part) { multiply_by_hand(rung, part); };
    switch (rung.kind) {
      case LadderKind::Loops:
      case LadderKind::Simd:
        return launch_rows(stream, rows_at_once(rows, threads, 1), p, by_hand);
      case LadderKind::Blocked:
        HPCX_ASSERT(rung.parameter > 0);
        return launch_rows(stream, rows_at_once(rows, threads, rung.parameter), p, by_hand);
      case LadderKind::Transposed: {
        HPCX_ASSERT(rung.parameter > 0);
        const auto columns = launch_transposition(stream, p.b);
        BasicProduct<T> with_columns = p;
        with_columns.b = {columns->data(), p.b.rows, p.b.cols, p.b.rows, Layout::ColumnMajor};
        return launch_rows(stream, rows_at_once(rows, threads, 1), with_columns,
                           [=](const BasicProduct<T>& part) {
                             static_cast<void>(columns);  // lives as long as this
                             by_hand(part);
                           });
      }
      case LadderKind::Library:
        return launch_rows(stream, (rows + threads - 1) / threads, p,
                           [](const BasicProduct<T>& part) { host::gemm(part); });
      case LadderKind::Elements:
      case LadderKind::Tiles:
        break;
    }
    throw Error("this rung of products is for devices other than the host");
  }

  /// The columns of b one after another, once the stream has come there.
  template <class T>
  static std::shared_ptr<std::vector<T>> launch_transposition(StreamRef stream,
                                                              BasicMatrixView<const T> b) {
    const std::int64_t n = b.cols, k = b.rows;
    const auto columns = std::make_shared<std::vector<T>>(static_cast<std::size_t>(n * k));
    constexpr std::int64_t kTile = 32;
    launch(stream, (n + kTile - 1) / kTile, [=](std::int64_t tile) {
      T* const to = columns->data();
      for (std::int64_t k0 = 0; k0 < k; k0 += kTile)
        for (std::int64_t j = tile * kTile; j < std::min(n, (tile + 1) * kTile); ++j)
          for (std::int64_t l = k0; l < std::min(k, k0 + kTile); ++l)
            to[j * k + l] = b.data[l * b.ld + j];
    });
    return columns;
  }
};

}  // namespace

std::unique_ptr<Ladder> make_ladder() {
  return std::make_unique<HostLadder>();
}

}  // namespace hpcx::cpu
