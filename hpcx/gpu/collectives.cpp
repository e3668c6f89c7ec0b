#include "gpu/collectives.h"

#include <cstdlib>

#include "hpcx/error.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

const char* library_name() {
  const char* name = std::getenv("HPL_NCCL_LIBRARY");
  return name != nullptr && *name != '\0' ? name : HPCX_GPU_COLLECTIVES;
}

}  // namespace

NcclLibrary::NcclLibrary() : library_(library_name()) {
  if (!library_.loaded()) {
    why_unusable_ = std::string(library_name()) + " is not installed (not found by the loader)";
    return;
  }
  const auto find = [this]<class Function>(Function*& function, const char* name) {
    function = library_.find<Function>(name);
    if (function == nullptr && why_unusable_.empty())
      why_unusable_ = std::string(library_name()) + " has no " + name;
  };
  find(get_version, "ncclGetVersion");
  find(get_unique_id, "ncclGetUniqueId");
  find(comm_init_rank, "ncclCommInitRank");
  find(comm_abort, "ncclCommAbort");
  find(comm_destroy, "ncclCommDestroy");
  find(get_error_string, "ncclGetErrorString");
  find(group_start, "ncclGroupStart");
  find(group_end, "ncclGroupEnd");
  find(send, "ncclSend");
  find(recv, "ncclRecv");
  find(broadcast, "ncclBroadcast");
}

std::string NcclLibrary::version_text() const {
  int version = 0;
  if (!why_unusable_.empty() || get_version(&version) != kSuccess) return {};
  const int major = version >= 10000 ? version / 10000 : version / 1000;
  const int rest = version >= 10000 ? version % 10000 : version % 1000;
  return std::string(HPCX_GPU_COLLECTIVES_NAME " ") + std::to_string(major) + "." +
         std::to_string(rest / 100) + "." + std::to_string(rest % 100);
}

void NcclLibrary::check(int status, const char* call) const {
  if (status == kSuccess) return;
  throw Error(std::string(call) + " failed: " + get_error_string(status) + " (" +
              std::to_string(status) + ")");
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
