#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define HPCX_HOST_DEVICE __host__ __device__
#elif defined(__HIPCC__)
#define HPCX_HOST_DEVICE __host__ __device__
#else
#define HPCX_HOST_DEVICE
#endif

/// The benchmark's random matrix, bit for bit that of netlib HPL (HPL_rand.c, HPL_lmul.c,
/// HPL_setran.c, HPL_xjumpm.c): element (i, j) of a matrix with N rows is value(X(1 + i + j N)).
namespace hpcx::generator {

inline constexpr std::uint64_t kMultiplier = 6364136223846793005u;
inline constexpr std::uint64_t kIncrement = 1;
inline constexpr std::uint64_t kSeed = 100;

/// The map X -> multiplier X + increment mod 2^64: a number of steps of the sequence in one.
struct Jump {
  std::uint64_t multiplier = 1;
  std::uint64_t increment = 0;

  constexpr HPCX_HOST_DEVICE std::uint64_t operator()(std::uint64_t x) const {
    return multiplier * x + increment;
  }
  /// First this, then `next`.
  constexpr HPCX_HOST_DEVICE Jump then(Jump next) const {
    return {next.multiplier * multiplier, next.multiplier * increment + next.increment};
  }
};

/// `steps` steps at once, O(log steps). Exact for any 64-bit count: the sequence has period 2^64.
constexpr HPCX_HOST_DEVICE Jump jump(std::uint64_t steps) {
  Jump result{};
  Jump power{kMultiplier, kIncrement};
  for (; steps != 0; steps >>= 1) {
    if (steps & 1) result = result.then(power);
    power = power.then(power);
  }
  return result;
}

/// X(1 + i + j N): the state that gives element (i, j) of a matrix with `order` rows.
constexpr HPCX_HOST_DEVICE std::uint64_t state_of(std::uint64_t order, std::uint64_t i,
                                                  std::uint64_t j) {
  return jump(1 + i + j * order)(kSeed);
}

/// The element in [-0.5, 0.5]. Two roundings, as netlib does: the conversion and the subtraction.
constexpr HPCX_HOST_DEVICE double value(std::uint64_t state) {
  return 0.5 - static_cast<double>(state) * 0x1p-64;
}

/// How a state becomes an element; see hpcx/README.md for the programs that each is of.
enum class Form {
  Netlib,  ///< 0.5 - x 2^-64: netlib HPL
  Icl,     ///< x 2^-64 - 0.5: ICL's reference of HPL-MxP
  OpenMxp  ///< signed x times 0x1.fffffffffffffp-65: RIKEN's HPL-AI, OpenMxP
};

/// The element in [-0.5, 0.5] of a state, with the roundings of the program whose form it is.
constexpr HPCX_HOST_DEVICE double value(Form form, std::uint64_t state) {
  switch (form) {
    case Form::Netlib:
      return value(state);
    case Form::Icl:
      return static_cast<double>(state) * 0x1p-64 - 0.5;
    case Form::OpenMxp:
      return static_cast<double>(static_cast<std::int64_t>(state)) * 0x1.fffffffffffffp-65;
  }
  return 0;
}

}  // namespace hpcx::generator
