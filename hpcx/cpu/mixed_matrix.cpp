#include <algorithm>
#include <cmath>

#include "cpu/clones.h"
#include "cpu/cpu_mixed.h"
#include "cpu/mixed_conversions.h"
#include "cpu/random_elements.h"

namespace hpcx::cpu {

namespace {

/// Elements of a MixedMatrix, in this thread.
class Elements {
 public:
  explicit Elements(const MixedMatrix& matrix)
      : matrix_(matrix),
        sequence_{matrix.order, matrix.seed},
        random_(matrix.form),
        product_(matrix.alpha * matrix.beta) {}

  bool is_random() const { return matrix_.kind == MixedMatrix::Kind::Random; }
  const Sequence& sequence() const { return sequence_; }
  ElementOf random() const { return random_; }

  /// The element whose row and column are `index`, given the random one there.
  double diagonal(std::int64_t index, double random) const {
    if (!is_random()) return 1 + product_ * static_cast<double>(index);
    return matrix_.diagonal != nullptr ? matrix_.diagonal[index] : random + matrix_.shift;
  }
  /// Of Fasi and Higham beside the diagonal.
  double below(std::int64_t col) const {
    return -matrix_.alpha + product_ * static_cast<double>(col);
  }
  double above(std::int64_t row) const {
    return -matrix_.beta + product_ * static_cast<double>(row);
  }

  /// out := elements from (row, col) on, down the column or along the row.
  void run(std::int64_t row, std::int64_t col, bool along_row, VectorView out) const {
    if (is_random()) {
      generate_run(random_, sequence_.state(row, col),
                   along_row ? sequence_.jump(0, 1) : sequence_.jump(1, 0), out);
    } else {
      for (std::int64_t k = 0; k < out.size; ++k) {
        const std::int64_t i = along_row ? row : row + k, j = along_row ? col + k : col;
        out[k] = i > j ? below(j) : above(i);
      }
    }
    const std::int64_t crossing = along_row ? row - col : col - row;
    if (crossing >= 0 && crossing < out.size)
      out[crossing] = diagonal(along_row ? row : col, out[crossing]);
  }

 private:
  MixedMatrix matrix_;
  Sequence sequence_;
  ElementOf random_;
  double product_;
};

/// kRowLanes rows of a MixedMatrix, column after column.
class RowGroup {
 public:
  RowGroup(const Elements& elements, const MixedRowSums& all, std::int64_t first)
      : elements_(elements), count_(std::min(kRowLanes, all.rows - first)) {
    const MixedPart& part = all.part;
    for (std::int64_t l = 0; l < count_; ++l) {
      rows_[l] = part.rows(first + l);
      const bool follows = l > 0 && rows_[l] == rows_[l - 1] + 1;
      states_[l] = follows ? elements.sequence().jump(1, 0)(states_[l - 1])
                           : elements.sequence().state(rows_[l], part.cols(0));
    }
  }

  /// out[j kRowLanes + l] := element of row l in column `col` + j, j < columns.
  void columns(std::int64_t col, std::int64_t columns, double* out) {
    if (elements_.is_random())
      generate_columns(elements_.random(), states_, elements_.sequence().jump(0, 1),
                       {out, columns * kRowLanes});
    else
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t l = 0; l < count_; ++l)
          out[j * kRowLanes + l] =
              rows_[l] > col + j ? elements_.below(col + j) : elements_.above(rows_[l]);
    for_diagonal(col, columns, [&](std::int64_t l) {
      double& element = out[(rows_[l] - col) * kRowLanes + l];
      element = elements_.diagonal(rows_[l], element);
    });
  }
  void skip(generator::Jump jump) {
    for (std::uint64_t& state : states_)
      state = jump(state);
  }
  template <class Body>
  void for_diagonal(std::int64_t col, std::int64_t columns, Body body) const {
    if (rows_[count_ - 1] < col || rows_[0] >= col + columns) return;
    for (std::int64_t l = 0; l < count_; ++l)
      if (rows_[l] >= col && rows_[l] < col + columns) body(l);
  }
  std::int64_t row(std::int64_t l) const { return rows_[l]; }
  std::int64_t count() const { return count_; }

 private:
  const Elements& elements_;
  std::int64_t count_;
  std::int64_t rows_[kRowLanes] = {};
  std::uint64_t states_[kRowLanes] = {};
};

/// sums[l] += elements[j kRowLanes + l] x[j], in the order of j.
HPCX_CLONES void add_columns(const double* elements, const double* x, std::int64_t columns,
                             double* sums) {
  constexpr std::int64_t kTogether = 16;  // whose sums fit in registers
  for (std::int64_t first = 0; first < kRowLanes; first += kTogether) {
    double sum[kTogether];
    std::copy_n(sums + first, kTogether, sum);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t l = 0; l < kTogether; ++l)
        sum[l] += elements[j * kRowLanes + first + l] * x[j];
    std::copy_n(sum, kTogether, sums + first);
  }
}

HPCX_CLONES void add_magnitudes(const double* elements, std::int64_t columns, double* sums) {
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t l = 0; l < kRowLanes; ++l)
      sums[l] += std::abs(elements[j * kRowLanes + l]);
}

/// The sums of what add(group, elements, column, columns, sums of the group) adds up over all
/// columns.
template <class Add>
void launch_rows(StreamRef stream, const MixedRowSums& all, Add add) {
  if (all.cols == 0) return;
  constexpr std::int64_t kColumns = 64;  // at a time, in L1
  const Elements elements(all.part.matrix);
  const IndexMap cols = all.part.cols;
  const generator::Jump next_block = elements.sequence().jump(0, cols.stride - cols.block);
  const auto run_group = [=](std::int64_t first) {
    RowGroup group(elements, all, first);
    double sum[kRowLanes] = {}, block[kColumns * kRowLanes] = {};
    for (std::int64_t j = 0; j < all.cols;) {
      const std::int64_t left = cols.block - j % cols.block;
      const std::int64_t some = std::min({kColumns, left, all.cols - j});
      group.columns(cols(j), some, block);
      add(group, block, cols(j), some, sum);
      if (some == left) group.skip(next_block);
      j += some;
    }
    for (std::int64_t l = 0; l < group.count(); ++l)
      all.sums[first + l] += sum[l];
  };
  const std::int64_t groups = (all.rows + kRowLanes - 1) / kRowLanes;
  launch_ranges(stream, groups, 8 * kRowLanes * all.cols,
                [=](std::int64_t first, std::int64_t some) {
                  for (std::int64_t g = first; g < first + some; ++g)
                    run_group(g * kRowLanes);
                });
}

}  // namespace

void CpuMixed::generate(StreamRef stream, const MixedPart& part, double factor, MixedView tile) {
  if (tile.empty()) return;
  const Elements elements(part.matrix);
  const bool along_row = tile.layout == Layout::RowMajor;
  launch_runs(stream, part, tile, [=](std::int64_t i, std::int64_t j, std::int64_t count) {
    double exact[kChunk];
    for (std::int64_t k = 0; k < count; k += kChunk) {
      const VectorView some{exact, std::min(kChunk, count - k)};
      const std::int64_t row = along_row ? i : i + k, col = along_row ? j + k : j;
      elements.run(part.rows(row), part.cols(col), along_row, some);
      round_doubles(some, factor, tile.precision, tile.block(row, col, 1, 1).data);
    }
  });
}

void CpuMixed::multiply(StreamRef stream, const MixedRowSums& y, const double* x) {
  launch_rows(stream, y,
              [=](const RowGroup&, const double* block, std::int64_t col, std::int64_t some,
                  double* sum) { add_columns(block, x + col, some, sum); });
}

void CpuMixed::row_sums(StreamRef stream, const MixedRowSums& sums, bool diagonal) {
  launch_rows(
      stream, sums,
      [=](const RowGroup& group, double* block, std::int64_t col, std::int64_t some, double* sum) {
        if (!diagonal)
          group.for_diagonal(
              col, some, [&](std::int64_t l) { block[(group.row(l) - col) * kRowLanes + l] = 0; });
        add_magnitudes(block, some, sum);
      });
}

}  // namespace hpcx::cpu
