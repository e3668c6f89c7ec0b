#pragma once

#include <array>
#include <string_view>

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
inline constexpr std::array kVariants{Variant::Plain, Variant::DoubleBuffering, Variant::DataReuse,
                                      Variant::DataPlacement, Variant::Hybrid};

constexpr std::string_view to_string(Variant variant) {  ///< as on the command line
  switch (variant) {
    case Variant::Plain:
      return "plain";
    case Variant::DoubleBuffering:
      return "db";
    case Variant::DataReuse:
      return "dr";
    case Variant::DataPlacement:
      return "dp";
    case Variant::Hybrid:
      return "hb";
  }
  return {};
}

constexpr std::string_view describe(Variant variant) {
  switch (variant) {
    case Variant::Plain:
      return "plain";
    case Variant::DoubleBuffering:
      return "double buffering";
    case Variant::DataReuse:
      return "data reuse";
    case Variant::DataPlacement:
      return "data placement";
    case Variant::Hybrid:
      return "hybrid";
  }
  return {};
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
