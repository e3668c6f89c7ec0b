#include "cpu/packed_product.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "cpu/cpu_device.h"
#include "cpu/packed_kernel.h"
#include "cpu/tiling.h"
#include "hpcx/device.h"
#include "hpcx/error.h"

namespace hpcx::cpu {

namespace {

/// With fewer threads a BLAS is as fast: what it packs anew is a smaller part.
constexpr int kLeastThreads = 4;
/// Rows and columns of C beyond which operands are packed a part at a time.
constexpr std::int64_t kMostRows = 32768, kMostColumns = 8192;
/// The longest inner dimension of one pass over C: a strip of A stays in the first cache.
constexpr std::int64_t kDeepest = 384;
/// Lines that a thread packs at a time: whole strips, of A as of B.
constexpr std::int64_t kGroup = 96;
static_assert(kGroup % kStripRows == 0 && kGroup % kStripColumns == 0);

constexpr std::int64_t groups(std::int64_t lines) {
  return (lines + kGroup - 1) / kGroup;
}

/// Calls `body(first, count)` for equal parts of `size`, none above `most`.
template <class Body>
void for_parts(std::int64_t size, std::int64_t most, Body body) {
  const Cut parts{size, (size + most - 1) / most, kStripRows};
  for (std::int64_t part = 0; part < parts.count; ++part)
    body(parts.begin(part), parts.length(part));
}

/// Writes element k of the lines to strips of `Strip`, `strip` elements apart. Zeros stand for
/// lines that the last strip lacks.
template <std::int64_t Strip>
void pack_element(ConstMatrixView lines, std::int64_t k, double* to, std::int64_t strip) {
  for (std::int64_t first = 0; first < lines.rows; first += Strip, to += strip) {
    const std::int64_t count = std::min(Strip, lines.rows - first);
    if (count == Strip && lines.row_stride() == 1) {
      std::copy_n(&lines(first, k), Strip, to);
      continue;
    }
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = lines(first + i, k);
    std::fill(to + count, to + Strip, 0.0);
  }
}

/// Packs lines in the order in which they are stored: element by element of all of them, or of
/// those of one strip.
template <std::int64_t Strip>
void pack(ConstMatrixView lines, double* to) {
  const std::int64_t depth = lines.cols;
  const std::int64_t at_once = lines.layout == Layout::ColumnMajor ? lines.rows : Strip;
  for (std::int64_t first = 0; first < lines.rows; first += at_once, to += at_once * depth) {
    const ConstMatrixView some = lines.row_range(first, std::min(at_once, lines.rows - first));
    for (std::int64_t k = 0; k < depth; ++k)
      pack_element<Strip>(some, k, to + Strip * k, Strip * depth);
  }
}

/// A product whose C is stored by rows, and where its operands are packed.
struct Pass {
  MatrixProduct product;
  double *a, *b;

  void pack_group(std::int64_t group) const {
    const std::int64_t groups_of_a = groups(product.a.rows);
    if (group < groups_of_a)
      pack_lines<kStripRows>(product.a, group * kGroup, a);
    else
      pack_lines<kStripColumns>(product.b.transposed(), (group - groups_of_a) * kGroup, b);
  }

  /// Packed columns of a block stay in the second cache while its rows go by. Each tile fetches a
  /// part of the next strip of rows.
  void multiply(const Block& block) const {
    const MatrixView& c = product.c;
    const std::int64_t depth = product.a.cols;
    const std::int64_t tiles = (block.columns + kStripColumns - 1) / kStripColumns;
    const std::int64_t next_lines = (depth + kStripRows * tiles - 1) / (kStripRows * tiles);
    for (std::int64_t i = block.row; i < block.row + block.rows; i += kStripRows) {
      PackedTile tile{depth,
                      product.alpha,
                      a + i * depth,
                      b + block.column * depth,
                      a + (i + kStripRows) * depth,
                      next_lines};
      for (std::int64_t j = block.column; j < block.column + block.columns; j += kStripColumns) {
        add(tile,
            c.block(i, j, std::min(kStripRows, c.rows - i), std::min(kStripColumns, c.cols - j)));
        tile.b += kStripColumns * depth;
        tile.next += 8 * kStripRows * next_lines;
      }
    }
  }

 private:
  template <std::int64_t Strip>
  static void pack_lines(ConstMatrixView lines, std::int64_t first, double* to) {
    pack<Strip>(lines.row_range(first, std::min(kGroup, lines.rows - first)),
                to + first * lines.cols);
  }

  static void add(const PackedTile& tile, MatrixView c) {
    if (c.rows == kStripRows && c.cols == kStripColumns) return add_tile(tile, c.data, c.ld);
    double whole[kStripRows * kStripColumns] = {};
    add_tile(tile, whole, kStripColumns);
    for (std::int64_t i = 0; i < c.rows; ++i)
      for (std::int64_t j = 0; j < c.cols; ++j)
        c(i, j) += whole[i * kStripColumns + j];
  }
};

/// Half of a core's second cache: packed columns that fill all of it are slower.
std::int64_t packed_columns_bytes() {
  static const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  constexpr std::int64_t kUnknown = std::int64_t{1} << 20;
  return (cache > 0 ? cache : kUnknown) / 2;
}

/// The blocks of C that threads take one by one: as wide as the packed columns of a cache, and so
/// low that the last ones leave other threads little to wait for.
Tiling blocks_of(const ProductSize& size, int threads) {
  constexpr std::int64_t kBlocksPerThread = 16;
  constexpr std::int64_t kLeastFlops = 40'000'000;
  const auto& [rows, columns, depth] = size;
  const std::int64_t widest =
      std::max(kStripColumns, packed_columns_bytes() / (8 * depth) / kStripColumns * kStripColumns);
  const std::int64_t across = (columns + widest - 1) / widest;
  const std::int64_t wanted =
      std::min(kBlocksPerThread * threads, 2 * rows * columns * depth / kLeastFlops);
  const std::int64_t down = std::clamp<std::int64_t>(wanted / across, 1, groups(rows));
  return {{rows, down, kStripRows}, {columns, across, kStripColumns}};
}

/// Launches a product whose operands are packed at once.
void launch_pass(StreamRef stream, const MatrixProduct& product) {
  const ProductSize size{product.c.rows, product.c.cols, product.a.cols};
  const int threads = thread_count(stream);
  const auto memory =
      workspace(stream, cpu_product_bytes(threads, size.rows, size.cols, size.depth));
  double* const a = memory->as<double>();
  const Pass pass{product, a, a + groups(size.rows) * kGroup * size.depth};
  launch(stream, groups(size.rows) + groups(size.cols),
         [pass, memory](std::int64_t group) { pass.pack_group(group); });
  if (product.alpha == 0) return;
  const Tiling blocks = blocks_of(size, threads);
  launch(stream, blocks.tiles(),
         [pass, memory, blocks](std::int64_t number) { pass.multiply(blocks.block(number)); });
}

/// Whether HPL_FP64_KERNEL allows it.
bool may_pack() {
  const char* const text = std::getenv("HPL_FP64_KERNEL");
  const std::string_view kernel = text == nullptr ? "packed" : text;
  if (kernel != "packed" && kernel != "blas")
    throw Error("HPL_FP64_KERNEL is \"" + std::string(kernel) + "\"; allowed are packed and blas");
  return kernel == "packed";
}

}  // namespace

bool packs(int threads) {
  return may_pack() && threads >= kLeastThreads && has_packed_kernel();
}

bool worth_packing(const MatrixProduct& product) {
  constexpr std::int64_t kLeastLines = 1024, kLeastDepth = 32;
  return product.beta == 1 && product.c.rows >= kLeastLines && product.c.cols >= kLeastLines &&
         product.a.cols >= kLeastDepth;
}

void launch_packed(StreamRef stream, const MatrixProduct& product) {
  HPCX_ASSERT(product.fits() && product.beta == 1);
  const MatrixProduct p = product.c.layout == Layout::RowMajor ? product : product.transposed();
  for_parts(p.a.cols, kDeepest, [&](std::int64_t k, std::int64_t depth) {
    for_parts(p.c.rows, kMostRows, [&](std::int64_t i, std::int64_t rows) {
      for_parts(p.c.cols, kMostColumns, [&](std::int64_t j, std::int64_t columns) {
        launch_pass(stream, {p.alpha, p.a.block(i, k, rows, depth), p.b.block(k, j, depth, columns),
                             1, p.c.block(i, j, rows, columns)});
      });
    });
  });
}

}  // namespace hpcx::cpu

namespace hpcx {

std::int64_t cpu_product_bytes(int threads, std::int64_t rows, std::int64_t columns,
                               std::int64_t depth) {
  if (threads < cpu::kLeastThreads) return 0;
  const std::int64_t lines = cpu::groups(std::min(rows, cpu::kMostRows)) +
                             cpu::groups(std::min(columns, cpu::kMostColumns));
  return 8 * cpu::kGroup * lines * std::min(depth, cpu::kDeepest);
}

}  // namespace hpcx
