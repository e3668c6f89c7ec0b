#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hpcx/ladder.h"
#include "hpl/check/deep/deep_figure.h"

namespace hpl {

/// The highest rates of a device, as measured.
struct RateCeilings {
  double flops = 0;  ///< the library's, flop/s
  double bytes = 0;  ///< of a copy in its memory, read and written, byte/s
};

struct BoundedBy {
  std::optional<Bound> bound;
  double share = 0;  ///< of the rate of what bounds it
};

/// The bound of work of `flops` and `bytes` that took `seconds`.
BoundedBy bounded_by(double flops, double bytes, double seconds, const RateCeilings& rates);

/// Bytes that a product of square matrices moves beyond the registers and the nearest memory of
/// those who compute, by the reuse in the rung's own loops; of the library, the least there is.
double product_bytes(hpcx::LadderRung rung, std::int64_t order, std::int64_t bytes_of_value);

std::string rung_key(hpcx::LadderRung rung);    ///< "blocked_64"
std::string rung_label(hpcx::LadderRung rung);  ///< "blocks of 64"

}  // namespace hpl
