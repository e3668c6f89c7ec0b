#include "cpu/random_elements.h"

#include "cpu/clones.h"

namespace hpcx::cpu {

HPCX_CLONES void generate_run(ElementOf element, std::uint64_t state, generator::Jump step,
                              VectorView out) {
  constexpr std::int64_t kLanes = 16;
  std::uint64_t lane[kLanes];
  generator::Jump whole{};
  for (std::int64_t l = 0; l < kLanes; ++l) {
    lane[l] = whole(state);
    whole = whole.then(step);
  }
  std::int64_t i = 0;
  for (; i + kLanes <= out.size; i += kLanes)
    for (std::int64_t l = 0; l < kLanes; ++l) {
      out.data[i + l] = element(lane[l]);
      lane[l] = whole(lane[l]);
    }
  for (std::int64_t l = 0; i < out.size; ++i, ++l)
    out.data[i] = element(lane[l]);
}

HPCX_CLONES void generate_columns(ElementOf element, std::uint64_t* states,
                                  generator::Jump next_column, VectorView out) {
  constexpr std::int64_t kTogether = 16;  // whose states fit in registers
  for (std::int64_t first = 0; first < kRowLanes; first += kTogether) {
    std::uint64_t lane[kTogether];
    std::copy_n(states + first, kTogether, lane);
    for (std::int64_t j = 0; j < out.size / kRowLanes; ++j)
      for (std::int64_t l = 0; l < kTogether; ++l) {
        out.data[j * kRowLanes + first + l] = element(lane[l]);
        lane[l] = next_column(lane[l]);
      }
    std::copy_n(lane, kTogether, states + first);
  }
}

}  // namespace hpcx::cpu
