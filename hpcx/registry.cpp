#include "registry.h"
#include "hpcx/device.h"
#include "hpcx/error.h"

namespace hpcx {

namespace {

/// The back ends of this build, in order of preference.
std::vector<const BackendEntry*> backends() {
  return {
#define HPCX_BUILT_BACKEND(word) &word##_backend(),
#include "built_backends.inc"
#undef HPCX_BUILT_BACKEND
  };
}

}  // namespace

std::string_view to_string(Backend backend) {
  switch (backend) {
#define HPCX_BACKEND(enumerator, word) \
  case Backend::enumerator:            \
    return #word;
#include "hpcx/backends.inc"
#undef HPCX_BACKEND
  }
  return "?";
}

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) +
                         ": internal error, expected " + condition);
}

std::vector<EnvironmentVariable> wanted_environment() {
  std::vector<EnvironmentVariable> all;
  for (const BackendEntry* entry : backends())
    all.insert(all.end(), entry->environment.begin(), entry->environment.end());
  return all;
}

std::vector<std::string> visibility_variables() {
  std::vector<std::string> all;
  for (const BackendEntry* entry : backends())
    all.insert(all.end(), entry->visibility_variables.begin(), entry->visibility_variables.end());
  return all;
}

std::vector<DeviceProperties> list_devices() {
  std::vector<DeviceProperties> all;
  for (const BackendEntry* entry : backends())
    for (DeviceProperties& properties : entry->list())
      all.push_back(std::move(properties));
  return all;
}

bool is_built(Backend backend) {
  for (const BackendEntry* entry : backends())
    if (entry->backend == backend) return true;
  return false;
}

std::string why_unavailable(Backend backend) {
  for (const BackendEntry* entry : backends())
    if (entry->backend == backend) return entry->why_unavailable();
  return "this xhpl was built without the " + std::string(to_string(backend)) + " back end";
}

std::unique_ptr<Device> open_device(const DeviceChoice& choice) {
  for (const BackendEntry* entry : backends()) {
    if (entry->backend != choice.backend) continue;
    const std::string reason = entry->why_unavailable();
    if (!reason.empty()) throw Error(reason);
    return entry->open(choice);
  }
  throw Error(why_unavailable(choice.backend));
}

}  // namespace hpcx
