#pragma once

#include <cstdint>
#include <type_traits>

namespace hpcx {

/// The index that runs through contiguous memory: rows of a column, or columns of a row.
enum class Layout { ColumnMajor, RowMajor };

/// A dense rows x cols matrix in somebody else's memory (host or device).
///
/// The layout travels with the view, so that code states mathematics (C -= A B) and the BLAS
/// wrappers find out which operand is "transposed".
template <class T>
struct BasicMatrixView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 1;  ///< distance between neighbouring columns (ColumnMajor) or rows (RowMajor)
  Layout layout = Layout::ColumnMajor;

  constexpr std::int64_t row_stride() const { return layout == Layout::ColumnMajor ? 1 : ld; }
  constexpr std::int64_t col_stride() const { return layout == Layout::ColumnMajor ? ld : 1; }
  constexpr std::int64_t offset(std::int64_t i, std::int64_t j) const {
    return i * row_stride() + j * col_stride();
  }
  constexpr T& operator()(std::int64_t i, std::int64_t j) const { return data[offset(i, j)]; }
  constexpr bool empty() const { return rows == 0 || cols == 0; }

  /// The block of block_rows x block_cols elements whose first is (i, j). A matrix without
  /// elements may have no memory either.
  constexpr BasicMatrixView block(std::int64_t i, std::int64_t j, std::int64_t block_rows,
                                  std::int64_t block_cols) const {
    return {data == nullptr ? nullptr : data + offset(i, j), block_rows, block_cols, ld, layout};
  }
  constexpr BasicMatrixView row_range(std::int64_t first, std::int64_t count) const {
    return block(first, 0, count, cols);
  }
  constexpr BasicMatrixView col_range(std::int64_t first, std::int64_t count) const {
    return block(0, first, rows, count);
  }
  /// The same memory seen as the transposed matrix.
  constexpr BasicMatrixView transposed() const {
    return {data, cols, rows, ld,
            layout == Layout::ColumnMajor ? Layout::RowMajor : Layout::ColumnMajor};
  }
  constexpr operator BasicMatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data, rows, cols, ld, layout};
  }
};

using MatrixView = BasicMatrixView<double>;
using ConstMatrixView = BasicMatrixView<const double>;

/// `size` elements, `stride` apart.
template <class T>
struct BasicVectorView {
  T* data = nullptr;
  std::int64_t size = 0;
  std::int64_t stride = 1;

  constexpr T& operator[](std::int64_t i) const { return data[i * stride]; }
  constexpr BasicVectorView range(std::int64_t first, std::int64_t count) const {
    return {data + first * stride, count, stride};
  }
  constexpr operator BasicVectorView<const T>() const requires(!std::is_const_v<T>) {
    return {data, size, stride};
  }
};

using VectorView = BasicVectorView<double>;
using ConstVectorView = BasicVectorView<const double>;

/// Column j of a matrix, row i of a matrix.
template <class T>
constexpr BasicVectorView<T> column(BasicMatrixView<T> a, std::int64_t j) {
  return {a.data + a.offset(0, j), a.rows, a.row_stride()};
}
template <class T>
constexpr BasicVectorView<T> row(BasicMatrixView<T> a, std::int64_t i) {
  return {a.data + a.offset(i, 0), a.cols, a.col_stride()};
}

}  // namespace hpcx
