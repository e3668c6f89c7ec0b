#include "cpu/random_elements.h"

#include "cpu/clones.h"

namespace hpcx::cpu {

HPCX_CLONES void generate_run(ElementOf element, std::uint64_t state, generator::Jump step,
                              std::int64_t count, double* out) {
  constexpr std::int64_t kLanes = 16;
  std::uint64_t lane[kLanes];
  generator::Jump whole{};
  for (std::int64_t l = 0; l < kLanes; ++l) {
    lane[l] = whole(state);
    whole = whole.then(step);
  }
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::int64_t l = 0; l < kLanes; ++l) {
      out[i + l] = element(lane[l]);
      lane[l] = whole(lane[l]);
    }
  for (std::int64_t l = 0; i < count; ++i, ++l)
    out[i] = element(lane[l]);
}

HPCX_CLONES void generate_columns(ElementOf element, std::uint64_t* states,
                                  generator::Jump next_column, std::int64_t columns, double* out) {
  constexpr std::int64_t kTogether = 16;  // whose states fit in registers
  for (std::int64_t first = 0; first < kRowLanes; first += kTogether) {
    std::uint64_t lane[kTogether];
    std::copy_n(states + first, kTogether, lane);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t l = 0; l < kTogether; ++l) {
        out[j * kRowLanes + first + l] = element(lane[l]);
        lane[l] = next_column(lane[l]);
      }
    std::copy_n(lane, kTogether, states + first);
  }
}

}  // namespace hpcx::cpu
