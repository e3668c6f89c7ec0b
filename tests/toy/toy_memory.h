#pragma once

#include <bit>
#include <cstdint>

#include "hpcx/matrix_view.h"

namespace hpcx::toy {

/// Addresses of the toy's memory have a bit that no address of the host has: who forgets that the
/// memory is a device's, and reads it on the host, ends at once.
inline constexpr std::uintptr_t kMark = std::uintptr_t{1} << 62;

/// The real place of the bytes, for an address of the device or of the host.
template <class T>
T* real(T* address) {
  return std::bit_cast<T*>(std::bit_cast<std::uintptr_t>(address) & ~kMark);
}

template <class T>
BasicMatrixView<T> real(BasicMatrixView<T> a) {
  a.data = real(a.data);
  return a;
}

template <class T>
BasicVectorView<T> real(BasicVectorView<T> x) {
  x.data = real(x.data);
  return x;
}

}  // namespace hpcx::toy
