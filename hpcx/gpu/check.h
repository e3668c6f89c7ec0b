#pragma once

#include <string>

#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// "CALL failed: REASON at hpcx/FILE:LINE"
std::string failure_text(const char* call, const std::string& reason, const char* file, int line);

/// Throws hpcx::OutOfMemory or hpcx::Error with the call, the code in words, and the place.
[[noreturn]] void fail(gpuError_t status, const char* call, const char* file, int line);

inline void check(gpuError_t status, const char* call, const char* file, int line) {
  if (status != gpuSuccess) fail(status, call, file, line);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE

// Two levels, so that the text of the call has the vendor's names in it.
#define HPCX_CHECK_NAMED(expression, text) \
  ::hpcx::HPCX_GPU_NAMESPACE::check((expression), text, __FILE__, __LINE__)
#define HPCX_CHECK_EXPANDED(...) HPCX_CHECK_NAMED((__VA_ARGS__), #__VA_ARGS__)
/// Checks the status of a call of the runtime (or, where gpu/blas_calls.h is included, of the
/// BLAS).
#define HPCX_CHECK(...) HPCX_CHECK_EXPANDED(__VA_ARGS__)
/// Checks that the kernel launched just before was accepted.
#define HPCX_CHECK_LAUNCH(kernel) HPCX_CHECK_NAMED(gpuGetLastError(), "launch of " kernel)
