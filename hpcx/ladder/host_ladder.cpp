#include <algorithm>
#include <memory>
#include <vector>

#include "cpu/cpu_device.h"
#include "hpcx/blas.h"
#include "hpcx/error.h"
#include "ladder/host_products.h"

namespace hpcx::cpu {

namespace {

/// Rows of C that a thread takes at once, so that each has several turns.
std::int64_t rows_at_once(std::int64_t rows, int threads, std::int64_t multiple) {
  const std::int64_t part = (rows + 4 * threads - 1) / (4 * threads);
  return (part + multiple - 1) / multiple * multiple;
}

template <class T>
ladder::HostRows<T> rows_of(const LadderProduct<T>& p) {
  return {.a = p.a.data,
          .b = p.b.data,
          .c = p.c.data,
          .lda = p.a.ld,
          .ldb = p.b.ld,
          .ldc = p.c.ld,
          .n = p.c.cols,
          .k = p.a.cols,
          .last = p.c.rows};
}

/// `kernel` for all rows, `at_once` a task.
template <class T>
void launch_rows(StreamRef stream, std::int64_t at_once, const ladder::HostRows<T>& operands,
                 void (*kernel)(const ladder::HostRows<T>&)) {
  launch(stream, (operands.last + at_once - 1) / at_once, [=](std::int64_t part) {
    ladder::HostRows<T> mine = operands;
    mine.first = part * at_once;
    mine.last = std::min(operands.last, mine.first + at_once);
    kernel(mine);
  });
}

class HostLadder final : public Ladder {
 public:
  std::vector<LadderRung> rungs() const override {
    std::vector<LadderRung> all{{LadderKind::Loops, 0}, {LadderKind::Simd, 0}};
    for (const int block : {16, 32, 64, 128, 256})
      all.push_back({LadderKind::Blocked, block});
    all.push_back({LadderKind::Transposed, kTransposedBlock});
    all.push_back({LadderKind::Library, 0});
    return all;
  }
  void multiply(StreamRef stream, LadderRung rung, const LadderProduct<double>& product) override {
    multiply_any(stream, rung, product);
  }
  void multiply(StreamRef stream, LadderRung rung, const LadderProduct<float>& product) override {
    multiply_any(stream, rung, product);
  }

  void tall_skinny_r(StreamRef stream, ConstMatrixView a, double* work, MatrixView r) override {
    HPCX_ASSERT(r.layout == Layout::ColumnMajor && r.rows == a.cols && r.cols == a.cols);
    const double* const last = for_each_tall_level(a, work, [&](TallSource source, double* out) {
      const std::int64_t rows = leaf_rows(source), square = source.cols * source.cols;
      launch(stream, leaf_count(source), [=](std::int64_t leaf) {
        const std::int64_t first = leaf * rows;
        ladder::factorize_tall_leaf(source, first, std::min(rows, source.rows - first),
                                    out + leaf * square);
      });
    });
    stream.device().kernels().copy(stream, {last, a.cols, a.cols, a.cols}, r);
  }

 private:
  static constexpr int kTransposedBlock = 64;

  template <class T>
  static void multiply_any(StreamRef stream, LadderRung rung, const LadderProduct<T>& p) {
    HPCX_ASSERT(p.a.rows == p.c.rows && p.b.cols == p.c.cols && p.a.cols == p.b.rows);
    HPCX_ASSERT(p.a.layout == Layout::RowMajor && p.b.layout == Layout::RowMajor &&
                p.c.layout == Layout::RowMajor);
    if (p.c.empty()) return;
    ladder::HostRows<T> operands = rows_of(p);
    const std::int64_t m = p.c.rows;
    const std::int64_t part = rows_at_once(m, thread_count(stream), 1);
    const ladder::HostKernels<T> kernels = ladder::host_kernels<T>();
    switch (rung.kind) {
      case LadderKind::Loops:
        return launch_rows(stream, part, operands, &ladder::multiply_by_loops<T>);
      case LadderKind::Simd:
        return launch_rows(stream, part, operands, kernels.simd);
      case LadderKind::Blocked:
        HPCX_ASSERT(rung.parameter > 0);
        operands.block = rung.parameter;
        return launch_rows(stream, rows_at_once(m, thread_count(stream), rung.parameter), operands,
                           kernels.blocked);
      case LadderKind::Transposed:
        return multiply_transposed(stream, m, operands, kernels.transposed);
      case LadderKind::Library: {
        const std::int64_t share = (m + thread_count(stream) - 1) / thread_count(stream);
        return launch(stream, (m + share - 1) / share, [=](std::int64_t i) {
          const std::int64_t first = i * share, rows = std::min(share, m - first);
          host::gemm({T{1}, p.a.row_range(first, rows), p.b, T{0}, p.c.row_range(first, rows)});
        });
      }
      case LadderKind::Elements:
      case LadderKind::Tiles:
        break;
    }
    throw Error("this rung of products is for devices other than the host");
  }

  template <class T>
  static void multiply_transposed(StreamRef stream, std::int64_t m, ladder::HostRows<T> operands,
                                  void (*kernel)(const ladder::HostRows<T>&)) {
    const std::int64_t n = operands.n, k = operands.k;
    const auto columns = std::make_shared<std::vector<T>>(static_cast<std::size_t>(n * k));
    constexpr std::int64_t kTile = 32;
    const T* const b = operands.b;
    const std::int64_t ldb = operands.ldb;
    launch(stream, (n + kTile - 1) / kTile, [=](std::int64_t tile) {
      T* const to = columns->data();
      for (std::int64_t k0 = 0; k0 < k; k0 += kTile)
        for (std::int64_t j = tile * kTile; j < std::min(n, (tile + 1) * kTile); ++j)
          for (std::int64_t l = k0; l < std::min(k, k0 + kTile); ++l)
            to[j * k + l] = b[l * ldb + j];
    });
    operands.b = columns->data();
    operands.ldb = k;
    operands.block = kTransposedBlock;
    const std::int64_t at_once = rows_at_once(m, thread_count(stream), 1);
    launch(stream, (m + at_once - 1) / at_once, [=](std::int64_t part) {
      static_cast<void>(columns);  // lives as long as this
      ladder::HostRows<T> mine = operands;
      mine.first = part * at_once;
      mine.last = std::min(m, mine.first + at_once);
      kernel(mine);
    });
  }
};

}  // namespace

std::unique_ptr<Ladder> make_ladder() {
  return std::make_unique<HostLadder>();
}

}  // namespace hpcx::cpu
