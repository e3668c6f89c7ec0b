#include "gpu/check.h"

#include <cstring>
#include <string>

#include "hpcx/error.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

void fail(gpuError_t status, const char* call, const char* file, int line) {
  // The runtime keeps the code of the last failed call: a later check of a launch must not see it.
  static_cast<void>(gpuGetLastError());
  const char* place = std::strstr(file, "hpcx/");
  const std::string text = std::string(call) + " failed: " + gpuGetErrorString(status) + " (" +
                           gpuGetErrorName(status) + ", code " + std::to_string(status) + ") at " +
                           (place != nullptr ? place : file) + ":" + std::to_string(line);
  if (status == gpuErrorMemoryAllocation) throw OutOfMemory(text);
  throw Error(text);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
