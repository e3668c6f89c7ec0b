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
  template <class T>
  static void multiply_any(StreamRef stream, LadderRung rung, const BasicProduct<T>& p) {
    HPCX_ASSERT(is_plain(p));
    if (p.c.empty()) return;
    const std::int64_t rows = p.c.rows;
    const int threads = thread_count(stream);
    const auto by_hand = [rung](const BasicProduct<T>& part) { ladder::multiply(rung, part); };
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
