#pragma once

#include <array>
#include <string_view>

#include "hpl/base/choice/choice.h"

namespace hpl::gemm {

/// Ways to stream a product through a device, each with what the one before it has (Li, Li, Tan:
/// DGEMM on CPU and GPU).
enum class Variant {
  Plain,            ///< loads, product and store one after another
  DoubleBuffering,  ///< two buffers for C: a store beside the next product
  DataReuse,        ///< units in snake order: what the unit before has loaded is not loaded again
  DataPlacement,    ///< a buffer of its own for each block on its way: loads, products and stores
                    ///< side by side
  Hybrid,           ///< the host's cores take blocks from the other end
};
/// Names for the command line, and in words.
inline constexpr std::array<Choice<Variant>, 5> kVariants{
    {{Variant::Plain, "plain"},
     {Variant::DoubleBuffering, "db", {}, "double buffering"},
     {Variant::DataReuse, "dr", {}, "data reuse"},
     {Variant::DataPlacement, "dp", {}, "data placement"},
     {Variant::Hybrid, "hb", {}, "hybrid"}}};
inline std::string_view to_string(Variant variant) {
  return name_of(kVariants, variant);
}
inline std::string_view describe(Variant variant) {
  return report_words(kVariants, variant);
}

constexpr bool reuses_strips(Variant variant) {
  return variant >= Variant::DataReuse;
}
constexpr bool stores_beside_products(Variant variant) {
  return variant >= Variant::DoubleBuffering;
}
constexpr bool loads_beside_products(Variant variant) {
  return variant >= Variant::DataPlacement;
}

}  // namespace hpl::gemm
