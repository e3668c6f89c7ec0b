#include "toy_operations.h"

#include <cmath>

#include "hpcx/blas.h"
#include "hpcx/generator.h"
#include "toy_memory.h"

namespace hpcx::toy {

namespace {

class ToyBlas final : public Blas {
 public:
  void gemm(StreamRef stream, const MatrixProduct& p) override {
    enqueue(stream, [=] {
      if (!p.c.empty()) host::gemm({p.alpha, real(p.a), real(p.b), p.beta, real(p.c)});
    });
  }
  void trsm(StreamRef stream, const TriangularView& t, MatrixView b) override {
    enqueue(stream, [=] {
      if (!b.empty()) host::trsm({t.triangle, t.diagonal, real(t.matrix)}, real(b));
    });
  }
  void gemv(StreamRef stream, const VectorProduct& p) override {
    enqueue(stream, [=] {
      if (p.y.size > 0) host::gemv({p.alpha, real(p.a), real(p.x), p.beta, real(p.y)});
    });
  }
};

/// out(i, j) := value(i, j) for all elements.
template <class Value>
void set_all(MatrixView out, Value value) {
  const MatrixView here = real(out);
  for (std::int64_t j = 0; j < here.cols; ++j)
    for (std::int64_t i = 0; i < here.rows; ++i)
      here(i, j) = value(i, j);
}

class ToyKernels final : public Kernels {
 public:
  void generate(StreamRef stream, const GlobalPart& part, MatrixView tile) override {
    const auto number = [](std::int64_t index) { return static_cast<std::uint64_t>(index); };
    enqueue(stream, [=] {
      set_all(tile, [=](std::int64_t i, std::int64_t j) {
        return generator::value(
            generator::state_of(number(part.order), number(part.rows(i)), number(part.cols(j))));
      });
    });
  }
  void fill(StreamRef stream, double value, MatrixView destination) override {
    enqueue(stream, [=] { set_all(destination, [=](auto, auto) { return value; }); });
  }
  void copy(StreamRef stream, ConstMatrixView source, MatrixView destination) override {
    enqueue(stream, [from = real(source), destination] {
      set_all(destination, [=](std::int64_t i, std::int64_t j) { return from(i, j); });
    });
  }
  void move_rows(StreamRef stream, const RowMoves& moves) override {
    enqueue(stream, [count = moves.count, from = real(moves.source), to = real(moves.destination),
                     out = real(moves.source_rows), in = real(moves.destination_rows)] {
      const auto place = [](const std::int64_t* list, std::int64_t i) {
        return list != nullptr ? list[i] : i;
      };
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t j = 0; j < to.cols; ++j)
          to(place(in, i), j) = from(place(out, i), j);
    });
  }
  /// L X = I by substitution.
  void invert_unit_lower(StreamRef stream, ConstMatrixView lower, MatrixView inverse) override {
    enqueue(stream, [lower = real(lower), inverse] {
      if (inverse.empty()) return;
      set_all(inverse, [](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : 0.0; });
      host::trsm({Triangle::Lower, Diagonal::Unit, lower}, real(inverse));
    });
  }
  void row_sums(StreamRef stream, ConstMatrixView a, double* sums) override {
    enqueue(stream, [a = real(a), sums = real(sums)] {
      for (std::int64_t i = 0; i < a.rows; ++i) {
        sums[i] = 0;
        for (std::int64_t j = 0; j < a.cols; ++j)
          sums[i] += std::abs(a(i, j));
      }
    });
  }
  void column_sums(StreamRef stream, ConstMatrixView a, double* sums) override {
    row_sums(stream, a.transposed(), sums);
  }
};

}  // namespace

std::unique_ptr<Blas> make_blas() {
  return std::make_unique<ToyBlas>();
}

std::unique_ptr<Kernels> make_kernels() {
  return std::make_unique<ToyKernels>();
}

}  // namespace hpcx::toy
