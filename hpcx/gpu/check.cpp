#include "gpu/check.h"

#include <cstring>

#include "hpcx/error.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

std::string failure_text(const char* call, const std::string& reason, const char* file, int line) {
  const char* place = std::strstr(file, "hpcx/");
  return std::string(call) + " failed: " + reason + " at " + (place != nullptr ? place : file) +
         ":" + std::to_string(line);
}

void fail(gpuError_t status, const char* call, const char* file, int line) {
  // The runtime keeps the code of the last failed call: a later check of a launch must not see it.
  static_cast<void>(gpuGetLastError());
  const std::string reason = std::string(gpuGetErrorString(status)) + " (" +
                             gpuGetErrorName(status) + ", code " + std::to_string(status) + ")";
  const std::string text = failure_text(call, reason, file, line);
  if (status == gpuErrorMemoryAllocation) throw OutOfMemory(text);
  throw Error(text);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
