#pragma once

#include <utility>

namespace hpl::mpi {

/// Sole owner of a library handle, so that no other class writes moves or destructors of its own.
/// Traits has `using Handle`, `static Handle null() noexcept` and `static void release(Handle)
/// noexcept`.
template <class Traits>
class UniqueHandle {
 public:
  using Handle = typename Traits::Handle;

  UniqueHandle() noexcept = default;
  explicit UniqueHandle(Handle handle) noexcept : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept
      : handle_(std::exchange(other.handle_, Traits::null())) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~UniqueHandle() {
    if (handle_ != Traits::null()) Traits::release(handle_);
  }

  Handle get() const noexcept { return handle_; }
  /// The address for a library that changes or frees the handle.
  Handle* address() noexcept { return &handle_; }
  explicit operator bool() const noexcept { return handle_ != Traits::null(); }

 private:
  Handle handle_ = Traits::null();
};

}  // namespace hpl::mpi
