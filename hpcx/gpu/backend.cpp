#include "gpu/backend.h"

#include "gpu/blas_calls.h"
#include "gpu/check.h"
#include "gpu/device.h"
#include "hpcx/error.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

struct Census {
  int devices = 0;
  std::string reason;  ///< why there are none
};

Census count_devices() {
  Census census;
  const gpuError_t status = gpuGetDeviceCount(&census.devices);
  if (status == gpuSuccess && census.devices > 0) return census;
  static_cast<void>(gpuGetLastError());
  census.devices = 0;
  int driver = 0;
  int runtime = 0;
  static_cast<void>(gpuDriverGetVersion(&driver));
  static_cast<void>(gpuRuntimeGetVersion(&runtime));
  static_cast<void>(gpuGetLastError());
  if (status == gpuErrorInsufficientDriver && driver > 0) {
    census.reason = "the " HPCX_GPU_VENDOR " driver is too old: it supports " HPCX_GPU_RUNTIME " " +
                    version_text(driver) + ", this build needs " + version_text(runtime);
  } else if (status == gpuErrorInsufficientDriver) {
    census.reason = "no " HPCX_GPU_VENDOR " driver is installed on this machine";
  } else if (status == gpuErrorNoDevice || status == gpuSuccess) {
    census.reason = "no " HPCX_GPU_VENDOR " device is present, or none is visible to this process";
  } else {
    census.reason = std::string("the " HPCX_GPU_VENDOR " driver reports: ") +
                    gpuGetErrorString(status) + " (" + gpuGetErrorName(status) + ")";
  }
  return census;
}

bool computing_allowed(int index) {
  int mode = 0;
  const gpuError_t status = gpuDeviceGetAttribute(&mode, gpuAttributeComputeMode, index);
  return status == gpuSuccess && mode != gpuComputeModeProhibited;
}

}  // namespace

std::vector<DeviceProperties> list() {
  std::vector<DeviceProperties> all;
  const Census census = count_devices();
  for (int index = 0; index < census.devices; ++index)
    if (computing_allowed(index)) all.push_back(properties_of(index));
  return all;
}

std::string why_unavailable() {
  const Census census = count_devices();
  if (census.devices == 0) return census.reason;
  for (int index = 0; index < census.devices; ++index)
    if (computing_allowed(index)) return why_no_blas();
  return "computing is switched off on every " HPCX_GPU_VENDOR
         " device (compute mode \"prohibited\")";
}

std::unique_ptr<Device> open(const DeviceChoice& choice) {
  const int devices = count_devices().devices;
  if (choice.index < 0 || choice.index >= devices)
    throw Error("there is no " + device_label(choice.index) + ": this process sees " +
                std::to_string(devices) + (devices == 1 ? " device" : " devices"));
  if (!computing_allowed(choice.index))
    throw Error(device_label(choice.index) + " cannot be used: its compute mode is \"prohibited\"");
  return std::make_unique<GpuDevice>(choice.index, choice.cpu);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
