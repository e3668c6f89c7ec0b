#pragma once

#include <stdexcept>
#include <string>

namespace hpcx {

/// A device, its driver or a library on it failed. The text names call, code and place.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Memory asked for that the device (or the host) does not have.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace hpcx

/// States what must hold unless the caller has a bug.
#define HPCX_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::hpcx::assertion_failed(#condition, __FILE__, __LINE__))
