#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hpcx/blas.h"
#include "hpcx/device.h"
#include "hpcx/stream.h"

namespace hpcx {

/// Ways to multiply matrices, from the plainest to the vendor's.
enum class LadderKind {
  Loops,       ///< host: three loops, an element after the other
  Simd,        ///< host: vectors of neighbouring columns, whole rows
  Blocked,     ///< host: the same, block by block; parameter: rows and columns of a block
  Transposed,  ///< host: dot products with the columns of B, which is transposed first; parameter:
               ///< columns that all rows of a thread take in turn
  Elements,    ///< device: one thread an element; parameter: b for blocks of b x b threads
  Tiles,       ///< device: tiles in shared memory; parameter: stages, tiles under way but one
  Library,     ///< the BLAS
};

/// Rows and columns of C of a thread block of LadderKind::Tiles.
inline constexpr int kLadderTile = 64;

struct LadderRung {
  LadderKind kind = LadderKind::Library;
  int parameter = 0;
  bool operator==(const LadderRung&) const = default;
};

/// C := A B in either precision: alpha is 1, beta 0. All row-major, any sizes and leading
/// dimensions, in the device's memory.
using LadderProduct = std::variant<BasicProduct<double>, BasicProduct<float>>;
template <class T>
constexpr bool is_plain(const BasicProduct<T>& p) {
  constexpr Layout kRows = Layout::RowMajor;
  return p.fits() && p.alpha == 1 && p.beta == 0 && p.a.layout == kRows && p.b.layout == kRows &&
         p.c.layout == kRows;
}

/// The rungs of a device. Products are asynchronous in `stream`.
class Ladder {
 public:
  virtual ~Ladder() = default;

  /// From the plainest to the fastest.
  virtual std::vector<LadderRung> rungs() const = 0;
  virtual void multiply(StreamRef stream, LadderRung rung, const LadderProduct& product) = 0;
};

std::string label_of(LadderRung rung);

/// Null if the device is neither the host nor one of CUDA.
std::unique_ptr<Ladder> make_ladder(const Device& device);

namespace cpu {
std::unique_ptr<Ladder> make_ladder();
}
namespace gpu_cuda {
std::unique_ptr<Ladder> make_ladder();
}

}  // namespace hpcx
