#pragma once

#include <cstdint>
#include <vector>

namespace hpl::gemm {

/// A piece that a step reads: where it lies, and what the load has to wait for.
struct Placement {
  int slot = 0;
  bool load = false;
  std::int64_t after = -1;  ///< step that last read what the slot held before; -1: none
};

/// The places of pieces among `slots` if step s reads piece `accesses[s]`. A piece takes the place
/// of the one that is read again latest, of those never read again the one longest out of use: its
/// load may start earliest. Nothing is kept from one period to the next if `periods` (one a step)
/// change.
std::vector<Placement> place_pieces(const std::vector<std::int64_t>& accesses,
                                    const std::vector<std::int64_t>& periods, int slots);

}  // namespace hpl::gemm
