#include <algorithm>
#include <cmath>
#include <limits>

#include "device_fixture.h"

namespace hpcx::conformance {
namespace {

class BlasTest : public DeviceTest {};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(BlasTest);

/// The definition of a product.
void reference_gemm(const MatrixProduct& p) {
  for (std::int64_t i = 0; i < p.c.rows; ++i)
    for (std::int64_t j = 0; j < p.c.cols; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < p.a.cols; ++k)
        sum += p.a(i, k) * p.b(k, j);
      p.c(i, j) = p.alpha * sum + (p.beta == 0 ? 0 : p.beta * p.c(i, j));
    }
}

struct GemmCase {
  std::int64_t m, n, k;
};

TEST_P(BlasTest, MultipliesMatricesOfEveryLayout) {
  const std::vector<GemmCase> sizes{{1, 1, 1},  {17, 5, 33}, {64, 48, 16}, {131, 67, 29},
                                    {1, 40, 7}, {40, 1, 7},  {3, 3, 200}};
  for (const GemmCase& size : sizes) {
    for (int layouts = 0; layouts < 8; ++layouts) {
      for (const std::int64_t pad : {0, 5}) {
        SCOPED_TRACE(testing::Message() << size.m << " x " << size.n << " x " << size.k
                                        << ", layouts " << layouts << ", pad " << pad);
        HostMatrix a = random_matrix({size.m, size.k, kLayouts[layouts & 1], pad, 0}, 1);
        HostMatrix b = random_matrix({size.k, size.n, kLayouts[layouts >> 1 & 1], pad, 1}, 2);
        HostMatrix c = random_matrix({size.m, size.n, kLayouts[layouts >> 2], pad, 0}, 3);
        const DeviceMatrix da = upload(a);
        const DeviceMatrix db = upload(b);
        const DeviceMatrix dc = upload(c);
        device_->blas().gemm(stream_, {-1.0, da.view, db.view, 1.0, dc.view});
        reference_gemm({-1.0, a.view(), b.view(), 1.0, c.view()});
        expect_near(download(dc, c.shape), c, 1e-13);
        device_->blas().gemm(stream_, {0.5, da.view, db.view, -2.0, dc.view});
        reference_gemm({0.5, a.view(), b.view(), -2.0, c.view()});
        expect_near(download(dc, c.shape), c, 1e-13);
      }
    }
  }
}

// Large enough to be shared among threads; A has one element a row, so the result is known.
TEST_P(BlasTest, MultipliesMatricesThatThreadsShare) {
  for (const GemmCase& size : {GemmCase{1201, 1103, 1000}, {2001, 40, 8200}, {40, 2001, 8200}}) {
    SCOPED_TRACE(testing::Message() << size.m << " x " << size.n << " x " << size.k);
    HostMatrix a = random_matrix({size.m, size.k, Layout::ColumnMajor, 0, 0}, 1);
    HostMatrix b = random_matrix({size.k, size.n, Layout::RowMajor, 0, 0}, 2);
    HostMatrix c = random_matrix({size.m, size.n, Layout::RowMajor, 0, 0}, 3);
    std::fill(a.storage.begin(), a.storage.end(), 0.0);
    for (std::int64_t i = 0; i < size.m; ++i)
      a(i, 7 * i % size.k) = 2;
    const DeviceMatrix da = upload(a), db = upload(b), dc = upload(c);
    device_->blas().gemm(stream_, {-1.0, da.view, db.view, 1.0, dc.view});
    set_all(c, [&](auto i, auto j) { return c(i, j) - 2 * b(7 * i % size.k, j); });
    expect_near(download(dc, c.shape), c, 1e-15);
  }
}

// The CPU device packs operands of these. The second is made in two passes, the third in two parts.
TEST_P(BlasTest, MultipliesMatricesThatManyThreadsShare) {
  const auto device = open(8);
  const Stream stream = device->create_stream(Priority::Normal);
  const auto test = [&](const GemmCase& size, int layouts) {
    SCOPED_TRACE(testing::Message()
                 << size.m << " x " << size.n << " x " << size.k << ", layouts " << layouts);
    HostMatrix a = random_matrix({size.m, size.k, kLayouts[layouts & 1], 3, 0}, 1);
    HostMatrix b = random_matrix({size.k, size.n, kLayouts[layouts >> 1 & 1], 3, 1}, 2);
    HostMatrix c = random_matrix({size.m, size.n, kLayouts[layouts >> 2], 3, 1}, 3);
    constexpr int kEvery = 29;  // elements of A: few are not zero
    set_all(a, [&](auto i, auto k) { return (i + k) % kEvery == 0 ? a(i, k) : 0.0; });
    const DeviceMatrix da = upload(a), db = upload(b), dc = upload(c);
    device->blas().gemm(stream, {0.5, da.view, db.view, 1.0, dc.view});
    stream.ref().synchronize();
    for (std::int64_t i = 0; i < size.m; ++i)
      for (std::int64_t k = (kEvery - i % kEvery) % kEvery; k < size.k; k += kEvery)
        for (std::int64_t j = 0; j < size.n; ++j)
          c(i, j) += 0.5 * a(i, k) * b(k, j);
    expect_near(download(dc, c.shape), c, 1e-14);
  };
  for (int layouts = 0; layouts < 8; ++layouts) {
    test({1037, 1025, 33}, layouts);
    test({1024, 1031, 400}, layouts);
  }
  test({1029, 8200, 32}, 6);
}

TEST_P(BlasTest, MultipliesBlocksInsideLargerMatrices) {
  HostMatrix a = random_matrix({50, 60, Layout::RowMajor, 0, 0}, 1);
  HostMatrix c = random_matrix({70, 80, Layout::RowMajor, 0, 0}, 2);
  const DeviceMatrix da = upload(a);
  const DeviceMatrix dc = upload(c);
  device_->blas().gemm(stream_, {-1.0, da.view.block(3, 5, 20, 11), da.view.block(31, 7, 11, 30),
                                 1.0, dc.view.block(40, 13, 20, 30)});
  for (std::int64_t i = 0; i < 20; ++i)
    for (std::int64_t j = 0; j < 30; ++j)
      for (std::int64_t k = 0; k < 11; ++k)
        c(40 + i, 13 + j) -= a(3 + i, 5 + k) * a(31 + k, 7 + j);
  expect_near(download(dc, c.shape), c, 1e-13);
}

TEST_P(BlasTest, AFactorOfZeroDiscardsWhatWasThere) {
  for (const std::int64_t depth : {0, 3}) {
    HostMatrix c = random_matrix({9, 6, Layout::RowMajor, 2, 0}, 3);
    c(2, 2) = std::numeric_limits<double>::quiet_NaN();
    HostMatrix a = random_matrix({9, depth, Layout::ColumnMajor, 0, 0}, 1);
    HostMatrix b = random_matrix({depth, 6, Layout::ColumnMajor, 1, 0}, 2);
    const DeviceMatrix da = upload(a);
    const DeviceMatrix db = upload(b);
    const DeviceMatrix dc = upload(c);
    device_->blas().gemm(stream_, {1.0, da.view, db.view, 0.0, dc.view});
    reference_gemm({1.0, a.view(), b.view(), 0.0, c.view()});
    expect_near(download(dc, c.shape), c, 1e-14);
  }
}

TEST_P(BlasTest, EmptyProductsScaleAndEmptyResultsAreLeftAlone) {
  HostMatrix c = random_matrix({9, 6, Layout::ColumnMajor, 2, 0}, 3);
  const DeviceMatrix dc = upload(c);
  const ConstMatrixView nothing{};
  device_->blas().gemm(stream_, {1.0, {nullptr, 9, 0, 9}, {nullptr, 0, 6, 1}, 1.0, dc.view});
  expect_near(download(dc, c.shape), c, 0);
  device_->blas().gemm(stream_, {1.0, {nullptr, 9, 0, 9}, {nullptr, 0, 6, 1}, 0.5, dc.view});
  set_all(c, [&](auto i, auto j) { return 0.5 * c(i, j); });
  expect_near(download(dc, c.shape), c, 0);
  device_->blas().gemm(stream_,
                       {1.0, dc.view.col_range(0, 3), {nullptr, 3, 0, 3}, 0.0, {nullptr, 9, 0, 9}});
  device_->blas().trsm(stream_, {Triangle::Lower, Diagonal::Unit, dc.view.block(0, 0, 6, 6)},
                       {nullptr, 6, 0, 6});
  device_->blas().trsm(stream_, {Triangle::Lower, Diagonal::Unit, nothing}, {nullptr, 0, 4, 1});
  device_->blas().gemv(stream_, {1.0, {nullptr, 0, 4, 1}, {dc.view.data, 4, 1}, 0.0, {}});
  expect_near(download(dc, c.shape), c, 0);
}

/// b := t^-1 b by substitution, reading the triangle alone.
void reference_trsm(Triangle triangle, Diagonal diagonal, HostMatrix& t, HostMatrix& b) {
  const std::int64_t m = t.shape.rows;
  for (std::int64_t j = 0; j < b.shape.cols; ++j) {
    for (std::int64_t step = 0; step < m; ++step) {
      const std::int64_t i = triangle == Triangle::Lower ? step : m - 1 - step;
      double sum = b(i, j);
      const std::int64_t first = triangle == Triangle::Lower ? 0 : i + 1;
      const std::int64_t last = triangle == Triangle::Lower ? i : m;
      for (std::int64_t k = first; k < last; ++k)
        sum -= t(i, k) * b(k, j);
      b(i, j) = diagonal == Diagonal::Unit ? sum : sum / t(i, i);
    }
  }
}

TEST_P(BlasTest, SolvesTriangularSystemsOfEveryKind) {
  for (const auto& [m, n] :
       Sizes{{1, 1}, {7, 30}, {65, 9}, {96, 1}, {33, 64}, {64, 1}, {129, 1}, {1000, 1}}) {
    for (int kind = 0; kind < 16; ++kind) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", kind " << kind);
      const Triangle triangle = kind & 1 ? Triangle::Upper : Triangle::Lower;
      const Diagonal diagonal = kind & 2 ? Diagonal::NonUnit : Diagonal::Unit;
      HostMatrix t = random_matrix({m, m, kLayouts[kind >> 2 & 1], 3, 0}, 11);
      // Tame, so that the solution stays of the size of the right side; what must not be read is
      // NaN.
      set_all(t, [&](auto i, auto j) {
        const bool inside = triangle == Triangle::Lower ? j < i : j > i;
        if (inside) return 0.1 * t(i, j);
        return i == j && diagonal == Diagonal::NonUnit ? t(i, j) + 2.0
                                                       : std::numeric_limits<double>::quiet_NaN();
      });
      HostMatrix b = random_matrix({m, n, kLayouts[kind >> 3], 2, 1}, 12);
      const DeviceMatrix dt = upload(t);
      const DeviceMatrix db = upload(b);
      device_->blas().trsm(stream_, {triangle, diagonal, dt.view}, db.view);
      reference_trsm(triangle, diagonal, t, b);
      expect_near(download(db, b.shape), b, 1e-12);
    }
  }
}

TEST_P(BlasTest, MultipliesMatrixAndVectorWithStrides) {
  for (const Layout layout : kLayouts) {
    for (const std::int64_t stride : {1, 4}) {
      for (const auto& [m, n] : Sizes{{1, 1}, {37, 11}, {200, 3}, {3, 200}, {5, 0}}) {
        SCOPED_TRACE(testing::Message()
                     << layout_name(layout) << ", " << m << " x " << n << ", stride " << stride);
        HostMatrix a = random_matrix({m, n, layout, 2, 0}, 21);
        // A vector with a stride is a row of a column-major matrix.
        HostMatrix x = random_matrix({stride, n, Layout::ColumnMajor, 0, 0}, 22);
        HostMatrix y = random_matrix({stride, m, Layout::ColumnMajor, 0, 0}, 23);
        const DeviceMatrix da = upload(a);
        const DeviceMatrix dx = upload(x);
        const DeviceMatrix dy = upload(y);
        device_->blas().gemv(
            stream_, {-1.0, da.view, row(ConstMatrixView(dx.view), 0), 0.5, row(dy.view, 0)});
        for (std::int64_t i = 0; i < m; ++i) {
          double sum = 0;
          for (std::int64_t j = 0; j < n; ++j)
            sum += a(i, j) * x(0, j);
          y(0, i) = 0.5 * y(0, i) - sum;
        }
        expect_near(download(dy, y.shape), y, 1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace hpcx::conformance
