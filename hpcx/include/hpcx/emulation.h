#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "hpcx/error.h"
#include "hpcx/matrix_view.h"
#include "hpcx/memory.h"
#include "hpcx/stream.h"

namespace hpcx {

/// The number of INT8 products that may stand for one FP64 product.
inline constexpr int kFewestModuli = 12, kMostModuli = 16;
/// The fewest whose error is not above native FP64's on the benchmark's matrices, see
/// hpcx/emulation/README.md.
inline constexpr int kDefaultModuli = 15;
/// The longest inner dimension: sums of products of residues stay below 2^30.
inline constexpr std::int64_t kDeepestEmulation = 65536;

namespace emulation {
/// Pairwise coprime, none above 256, so that residues in [-m/2, m/2) fit 8 bits.
inline constexpr std::array<int, kMostModuli> kModuli{256, 255, 253, 251, 247, 241, 239, 233,
                                                      229, 227, 223, 217, 211, 199, 197, 193};
}  // namespace emulation

/// The unit roundoff of a line's integers, relative to the line's Euclidean norm: 1 / T with
/// T = sqrt(M / 2) and M the product of the moduli. Rounding changes an integer by 1/2 at most, and
/// the norm of the integers is at least T / 2. An element of a product of depth K is wrong by at
/// most 2 sqrt(K) of these times both norms, by 0.6 of them in the mean: hpcx/emulation/README.md.
inline double emulation_roundoff(int moduli) {
  double product = 1;
  for (int i = 0; i < moduli; ++i)
    product *= emulation::kModuli[static_cast<std::size_t>(i)];
  return std::sqrt(2 / product);
}

/// Products of residues: by 8-bit integers with sums of 32 bits, or by numbers of FP8 (E4M3) with
/// sums in FP32, three products for each modulus. The same bits by both.
enum class ResidueElement { Int8, Fp8 };

/// An operand of an emulated product as residues: of A its rows, of B its columns, here called
/// lines. Residue i of element k of a line stands at residues[i * plane() + line * pitch() + k];
/// what a line lacks to its pitch is zero.
struct ResidueView {
  std::int8_t* residues = nullptr;
  std::int32_t* exponents = nullptr;  ///< of the lines: integers = 2^exponent times the elements
  std::int64_t lines = 0, depth = 0;
  int moduli = 0;
  std::int64_t stored_lines = 0, stored_depth = 0;  ///< of the whole; 0: this is the whole

  /// The depth in whole pieces of 16: what products go over.
  constexpr std::int64_t padded_depth() const { return (depth + 15) / 16 * 16; }
  constexpr std::int64_t pitch() const {
    return ((stored_depth > 0 ? stored_depth : depth) + 15) / 16 * 16;
  }
  constexpr std::int64_t plane() const {
    return (stored_lines > 0 ? stored_lines : lines) * pitch();
  }
};

/// `count` lines from `first`, their first `depth` elements: all, or a multiple of 128, over which
/// no device reads. The exponents stay those of whole lines.
constexpr ResidueView part_of(const ResidueView& whole, std::int64_t first, std::int64_t count,
                              std::int64_t depth) {
  HPCX_ASSERT(depth == whole.depth || (depth < whole.depth && depth % 128 == 0));
  return {.residues = whole.residues + first * whole.pitch(),
          .exponents = whole.exponents + first,
          .lines = count,
          .depth = depth,
          .moduli = whole.moduli,
          .stored_lines = whole.plane() / whole.pitch(),
          .stored_depth = whole.pitch()};
}

/// Bytes of memory for the residues of so many lines; multiples of 256.
constexpr std::int64_t residue_bytes(std::int64_t lines, std::int64_t depth, int moduli) {
  const ResidueView view{.lines = lines, .depth = depth, .moduli = moduli};
  return (moduli * view.plane() + 255) / 256 * 256 + (4 * lines + 255) / 256 * 256;
}

/// The view of residues in memory of at least residue_bytes().
inline ResidueView residue_view(const Buffer& memory, std::int64_t lines, std::int64_t depth,
                                int moduli) {
  ResidueView view{.lines = lines, .depth = depth, .moduli = moduli};
  view.residues = memory.as<std::int8_t>();
  view.exponents =
      memory.as<std::int32_t>(static_cast<std::size_t>((moduli * view.plane() + 255) / 256 * 256));
  return view;
}

/// Blocks of rows of C are multiples of it: two tiles of a device's products.
inline constexpr std::int64_t kEmulationTile = 256;

/// Bytes of the workspace in which products by moduli meet, for a C of this size, on a device that
/// does not share the host's memory. A larger C is updated by blocks of rows.
constexpr std::int64_t emulation_workspace_bytes(std::int64_t rows, std::int64_t columns,
                                                 int moduli) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30, kTile = kEmulationTile;
  const std::int64_t row_bytes = moduli * ((columns + 15) / 16 * 16);
  if (rows <= 0 || row_bytes == 0) return 0;
  const std::int64_t tall = (rows + kTile - 1) / kTile * kTile;
  const std::int64_t fitting = kMost / row_bytes / kTile * kTile;
  return row_bytes * (fitting < kTile ? kTile : fitting < tall ? fitting : tall);
}

/// Rows of C that are updated at a time in such a workspace: blocks of equal height, since a low
/// one at the end would leave multiprocessors without work.
constexpr std::int64_t emulation_block_rows(std::int64_t rows, std::int64_t columns, int moduli,
                                            std::int64_t workspace_bytes) {
  constexpr std::int64_t kTile = kEmulationTile;
  const std::int64_t row_bytes = moduli * ((columns + 15) / 16 * 16);
  const std::int64_t fitting = workspace_bytes / row_bytes / kTile * kTile;
  const std::int64_t blocks = (rows + fitting - 1) / fitting;
  return ((rows + blocks - 1) / blocks + kTile - 1) / kTile * kTile;
}

/// C := C + factor A B of prepared operands with the same depth and moduli, factor 1 or -1.
struct EmulatedProduct {
  double factor = 1;
  ResidueView a{}, b{};
  MatrixView c{};

  constexpr bool fits() const {
    return a.depth == b.depth && a.moduli == b.moduli && c.rows == a.lines && c.cols == b.lines;
  }
};

/// FP64 products from products of 8-bit integers by the Ozaki scheme II: both operands are scaled
/// and rounded to integers, multiplied modulo 12 to 16 pairwise coprime moduli, and C is updated
/// with what the Chinese remainder theorem makes of the remainders. Mathematics and error bounds:
/// hpcx/emulation/README.md. The same bits on every device.
class Emulation {
 public:
  virtual ~Emulation() = default;
  /// Writes the residues of a matrix whose rows are lines: A, or B transposed. All of `residues` is
  /// written, padding too; its shape is the matrix's.
  virtual void prepare(StreamRef stream, ConstMatrixView matrix, const ResidueView& residues) = 0;
  /// `workspace` has at least emulation_workspace_bytes() for one row of C (of its transposed where
  /// C is column-major), and where host memory is shared may be empty. Rows of A and columns of B
  /// that hold an infinity or a NaN make NaN of the same rows and columns of C.
  virtual void add_product(StreamRef stream, const EmulatedProduct& product,
                           const Buffer& workspace) = 0;
};

}  // namespace hpcx
