#pragma once

#include <dlfcn.h>

#include <memory>

#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// A library loaded at run time; empty where it is not installed.
class SharedLibrary {
 public:
  explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  bool loaded() const { return handle_ != nullptr; }
  /// The function of this name, or null.
  template <class Function>
  Function* find(const char* name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_.get(), name));
  }

 private:
  struct Close {
    void operator()(void* handle) const { dlclose(handle); }
  };
  std::unique_ptr<void, Close> handle_;
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
