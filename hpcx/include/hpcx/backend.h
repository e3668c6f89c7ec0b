#pragma once

#include <array>
#include <string_view>

namespace hpcx {

/// The software that runs a device. The rows stand in backends.inc.
enum class Backend {
#define HPCX_BACKEND(enumerator, word) enumerator,
#include "hpcx/backends.inc"
#undef HPCX_BACKEND
};

struct BackendName {
  Backend value;
  std::string_view name;  ///< "cpu", "cuda", "hip"
};

/// All there can be, whether or not they were built.
inline constexpr std::array kBackends{
#define HPCX_BACKEND(enumerator, word) BackendName{Backend::enumerator, #word},
#include "hpcx/backends.inc"
#undef HPCX_BACKEND
};

std::string_view to_string(Backend backend);

}  // namespace hpcx
