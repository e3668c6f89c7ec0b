#pragma once

#include <cstdint>
#include <memory>

#include "hpcx/device.h"

namespace hpl {

/// The largest operands that a TailProduct holds at once.
struct ProductLimits {
  int panels = 1, chunks = 1;                     ///< operands prepared and in use
  std::int64_t rows = 0, columns = 0, depth = 0;  ///< of the largest L21 and U12
  std::int64_t solve_rows = 0;                    ///< see TailSolve
};

/// U12 = L11^-1 U, of U and U12 with as many columns.
struct TailSolve {
  hpcx::ConstMatrixView l11;  ///< L11, or its inverse
  hpcx::MatrixView u, u12;
  /// Rows of U12 to a product with the inverse; 0: a triangular solve with L11 takes the place of
  /// U, and is copied where U12 is elsewhere.
  std::int64_t rows = 0;
};
/// Enqueues it, in FP64.
void solve_u12(hpcx::StreamRef stream, const TailSolve& solve);

/// The products of the tail update, U12 = L11^-1 U and A22 := A22 - L21 U12, in some arithmetic.
///
/// Each operand is prepared once: L11 and L21 when their panel arrives, U12 when its chunk is
/// solved. What is made of it stays in the workspace that was named until that is prepared anew.
/// All calls enqueue; the caller orders their streams.
class TailProduct {
 public:
  virtual ~TailProduct() = default;
  /// `l11` is L11 or its inverse, as solve() will get it.
  virtual void prepare_l11(hpcx::StreamRef, int /*panel*/, hpcx::ConstMatrixView /*l11*/) {}
  /// Ahead of prepare_u12() of this chunk, whose workspace it may use.
  virtual void solve(hpcx::StreamRef stream, int /*panel*/, int /*chunk*/, const TailSolve& solve) {
    solve_u12(stream, solve);
  }
  virtual void prepare_l21(hpcx::StreamRef stream, int panel, hpcx::ConstMatrixView l21) = 0;
  virtual void prepare_u12(hpcx::StreamRef stream, int chunk, hpcx::ConstMatrixView u12) = 0;
  /// Of operands prepared under these numbers.
  virtual void subtract(hpcx::StreamRef stream, int panel, int chunk, hpcx::MatrixView a22) = 0;
};

/// In the device's own FP64: the operands are used as they are.
std::unique_ptr<TailProduct> make_fp64_product(hpcx::Device& device, const ProductLimits& limits);
/// FP64 emulated by `moduli` INT8 products: residues of the operands are kept beside them. The
/// device must have emulation().
std::unique_ptr<TailProduct> make_emulated_product(hpcx::Device& device,
                                                   const ProductLimits& limits, int moduli);
/// The one that runs with so many moduli, FP64 with none.
std::unique_ptr<TailProduct> make_product(hpcx::Device& device, const ProductLimits& limits,
                                          int moduli);
/// Device bytes that it takes beside its operands, on a device that shares the host's memory or
/// one that does not.
std::int64_t product_bytes(const ProductLimits& limits, int moduli, bool shares_host_memory);

}  // namespace hpl
