#include <algorithm>
#include <limits>
#include <vector>

#include "cpu/clones.h"
#include "cpu/cpu_device.h"
#include "emulation/arithmetic.h"
#include "hpcx/error.h"

// The reference of the emulated product: plain loops over the same arithmetic as every device's.

namespace hpcx::cpu {

namespace {

using emulation::Constants;
using emulation::PartSums;
using emulation::Reduction;

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// --- Residues of a line --------------------------------------------------------------------------

std::int32_t exponent_of_line(const double* x, std::int64_t depth, emulation::Wide norm_limit) {
  std::int32_t largest = emulation::kAllZero;
  for (std::int64_t k = 0; k < depth; ++k)
    largest = std::max(largest, emulation::magnitude_of(x[k]).exponent);
  std::uint64_t squares = 0;
  if (largest != emulation::kNotFinite)
    for (std::int64_t k = 0; k < depth; ++k)
      squares += emulation::bounded_square(x[k], largest);
  return emulation::line_exponent(largest, squares, norm_limit);
}

/// The pieces of the integers of a line.
struct PieceLines {
  std::int32_t *low, *middle, *high;
};

HPCX_CLONES void cut_into_pieces(const double* x, std::int64_t depth, std::int32_t exponent,
                                 PieceLines to) {
  const double first = emulation::first_factor(exponent);
  const double second = emulation::second_factor(exponent);
  for (std::int64_t k = 0; k < depth; ++k) {
    const emulation::Pieces pieces =
        emulation::pieces_of(emulation::scaled_integer(x[k], first, second));
    to.low[k] = pieces.low;
    to.middle[k] = pieces.middle;
    to.high[k] = pieces.high;
  }
}

HPCX_CLONES void write_residues(PieceLines x, std::int64_t depth, const Reduction& reduction,
                                std::int8_t* out) {
  const Reduction m = reduction;
  for (std::int64_t k = 0; k < depth; ++k)
    out[k] = static_cast<std::int8_t>(emulation::residue({x.low[k], x.middle[k], x.high[k]}, m));
}

/// Lines that one thread works on at a time: as many as a cache line of a matrix across them has.
constexpr std::int64_t kLines = 8;

void prepare_lines(ConstMatrixView matrix, std::int64_t begin, std::int64_t count,
                   const ResidueView& out) {
  const Constants& constants = emulation::constants(out.moduli);
  const std::int64_t depth = out.depth;
  std::vector<double> lines(index(count * depth));
  if (matrix.layout == Layout::RowMajor) {
    for (std::int64_t i = 0; i < count; ++i)
      std::copy_n(matrix.data + matrix.offset(begin + i, 0), depth, lines.data() + i * depth);
  } else {
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t i = 0; i < count; ++i)
        lines[index(i * depth + k)] = matrix(begin + i, k);
  }
  std::vector<std::int32_t> room(index(3 * depth));
  const PieceLines pieces{room.data(), room.data() + depth, room.data() + 2 * depth};
  for (std::int64_t i = 0; i < count; ++i) {
    const double* x = lines.data() + i * depth;
    const std::int32_t exponent = exponent_of_line(x, depth, constants.norm_limit);
    out.exponents[begin + i] = exponent;
    const bool finite = exponent != emulation::kNotFinite;
    if (finite) cut_into_pieces(x, depth, exponent, pieces);
    for (int m = 0; m < out.moduli; ++m) {
      std::int8_t* line = out.residues + m * out.plane() + (begin + i) * out.pitch();
      if (finite) write_residues(pieces, depth, constants.reductions[index(m)], line);
      std::fill(line + (finite ? depth : 0), line + out.pitch(), std::int8_t{0});
    }
  }
}

// --- Product -------------------------------------------------------------------------------------

constexpr std::int64_t kTile = 48;  // rows and columns of C that a thread updates at a time

HPCX_CLONES void widen(const std::int8_t* from, std::int64_t count, std::int16_t* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = from[i];
}

/// sums[r] := row r of y times x, four rows at a time.
template <class Sum, class Operand>
[[gnu::always_inline]] inline void dot_products_of(const Operand* x,
                                                   BasicMatrixView<const Operand> y, Sum* sums) {
  const std::int64_t rows = y.rows, depth = y.cols, pitch = y.ld;
  std::int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const Operand *y0 = y.data + r * pitch, *y1 = y0 + pitch, *y2 = y1 + pitch, *y3 = y2 + pitch;
    Sum s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      s0 += x[k] * y0[k];
      s1 += x[k] * y1[k];
      s2 += x[k] * y2[k];
      s3 += x[k] * y3[k];
    }
    sums[r] = s0;
    sums[r + 1] = s1;
    sums[r + 2] = s2;
    sums[r + 3] = s3;
  }
  for (; r < rows; ++r) {
    Sum sum = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      sum += x[k] * y.data[r * pitch + k];
    sums[r] = sum;
  }
}
HPCX_CLONES void dot_products(const std::int16_t* x, BasicMatrixView<const std::int16_t> y,
                              std::int32_t* sums) {
  dot_products_of(x, y, sums);
}
HPCX_CLONES void dot_products(const float* x, BasicMatrixView<const float> y, float* sums) {
  dot_products_of(x, y, sums);
}

// An element type says of how many parts a residue consists, how they are written part by part
// (`count` numbers each), and what the sums of products of the parts make.

/// Residues as they are, added up in 32 bits.
struct Int8Element {
  using Operand = std::int16_t;
  using Sum = std::int32_t;
  static constexpr std::int64_t kParts = 1;

  static void write_parts(const std::int8_t* residues, std::int64_t count, Operand* parts) {
    widen(residues, count, parts);
  }
  static std::int32_t product(const Sum* sums, std::int64_t) { return *sums; }
};

/// Digits and their sum in E4M3, added up in FP32.
struct Fp8Element {
  using Operand = float;
  using Sum = float;
  static constexpr std::int64_t kParts = 3;

  static void write_parts(const std::int8_t* residues, std::int64_t count, Operand* parts) {
    const auto number = [](std::int32_t integer) {
      return emulation::float_from_e4m3(emulation::e4m3_from(integer));
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const emulation::Digits digits = emulation::digits_of(residues[i]);
      parts[i] = number(digits.high);
      parts[count + i] = number(digits.low);
      parts[2 * count + i] = number(digits.high + digits.low);
    }
  }
  static std::int32_t product(const Sum* sums, std::int64_t stride) {
    return emulation::product_of_digits(static_cast<std::int32_t>(sums[0]),
                                        static_cast<std::int32_t>(sums[stride]),
                                        static_cast<std::int32_t>(sums[2 * stride]));
  }
};

HPCX_CLONES void add_residues(BasicVectorView<const std::int32_t> products,
                              const Reduction& reduction, const emulation::ThreeParts& weight,
                              PartSums* sums) {
  const std::int32_t modulus = reduction.modulus, reciprocal = reduction.reciprocal;
  const emulation::ThreeParts w = weight;
  for (std::int64_t i = 0; i < products.size; ++i)
    sums[i].add(emulation::residue(products.data[i], modulus, reciprocal), w);
}

template <class Element>
void update_tile(const EmulatedProduct& tile) {
  const auto& [factor, a, b, c] = tile;
  constexpr std::int64_t kParts = Element::kParts;
  const Constants& constants = emulation::constants(a.moduli);
  const std::int64_t pitch = a.pitch(), of_x = c.rows * pitch, of_y = c.cols * pitch;
  std::vector<PartSums> sums(index(c.rows * c.cols));
  std::vector<typename Element::Operand> x(index(kParts * of_x)), y(index(kParts * of_y));
  std::vector<typename Element::Sum> of_parts(index(kParts * c.cols));
  std::vector<std::int32_t> products(index(c.cols));
  for (int m = 0; m < a.moduli; ++m) {
    Element::write_parts(a.residues + m * a.plane(), of_x, x.data());
    Element::write_parts(b.residues + m * b.plane(), of_y, y.data());
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t p = 0; p < kParts; ++p)
        dot_products(x.data() + p * of_x + i * pitch,
                     {y.data() + p * of_y, c.cols, a.padded_depth(), pitch, Layout::RowMajor},
                     of_parts.data() + p * c.cols);
      for (std::int64_t j = 0; j < c.cols; ++j)
        products[index(j)] = Element::product(&of_parts[index(j)], c.cols);
      add_residues({products.data(), c.cols}, constants.reductions[index(m)],
                   constants.weights[index(m)], &sums[index(i * c.cols)]);
    }
  }
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j) {
      const std::int32_t exponent = emulation::element_exponent(a.exponents[i], b.exponents[j]);
      c(i, j) = exponent == emulation::kNotFinite
                    ? std::numeric_limits<double>::quiet_NaN()
                    : emulation::subtract_scaled(
                          c(i, j),
                          -factor * emulation::reconstruct(sums[index(i * c.cols + j)],
                                                           constants.product, constants.reciprocal),
                          exponent);
    }
}

class CpuEmulation final : public Emulation {
 public:
  explicit CpuEmulation(ResidueElement element)
      : update_tile_(element == ResidueElement::Fp8 ? update_tile<Fp8Element>
                                                    : update_tile<Int8Element>) {}

  void prepare(StreamRef stream, ConstMatrixView matrix, const ResidueView& residues) override {
    HPCX_ASSERT(matrix.rows == residues.lines && matrix.cols == residues.depth);
    HPCX_ASSERT(residues.depth <= kDeepestEmulation);
    launch(stream, (matrix.rows + kLines - 1) / kLines, [=](std::int64_t block) {
      const std::int64_t begin = block * kLines;
      prepare_lines(matrix, begin, std::min(kLines, matrix.rows - begin), residues);
    });
  }

  void add_product(StreamRef stream, const EmulatedProduct& p, const Buffer&) override {
    HPCX_ASSERT(p.fits());
    if (p.c.empty() || p.a.depth == 0) return;
    const std::int64_t tall = (p.c.rows + kTile - 1) / kTile, wide = (p.c.cols + kTile - 1) / kTile;
    launch(stream, tall * wide, [=, update_tile = update_tile_](std::int64_t tile) {
      const std::int64_t i = tile % tall * kTile, j = tile / tall * kTile;
      const std::int64_t m = std::min(kTile, p.c.rows - i), n = std::min(kTile, p.c.cols - j);
      update_tile({p.factor, part_of(p.a, i, m, p.a.depth), part_of(p.b, j, n, p.b.depth),
                   p.c.block(i, j, m, n)});
    });
  }

 private:
  decltype(&update_tile<Int8Element>) update_tile_;
};

}  // namespace

std::unique_ptr<Emulation> make_emulation(ResidueElement element) {
  return std::make_unique<CpuEmulation>(element);
}

}  // namespace hpcx::cpu
