#include "cuda/blas_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <string>

#include "gpu/blas_calls.h"
#include "hpcx/error.h"

namespace hpcx::gpu_cuda {

namespace {

struct Library {
  void* handle = nullptr;  ///< held to the end of the process, as by a program linked with it
  std::string why_missing;
};

void open(Library& library, const std::string& name) {
  library.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle == nullptr) library.why_missing = dlerror();
}

/// The loader's choice, otherwise that of the toolkit of the build or of a usual toolkit.
Library load() {
  const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
  Library library;
  open(library, name);
  for (const char* const directory : {HPCX_CUDA_LIBRARY_DIRECTORY, "/usr/local/cuda/lib64"}) {
    const std::string path = directory + ("/" + name);
    if (library.handle == nullptr && access(path.c_str(), R_OK) == 0) open(library, path);
  }
  return library;
}

const Library& library() {
  static const Library kLibrary = load();
  return kLibrary;
}

}  // namespace

std::string why_no_blas() {
  if (library().handle != nullptr) return {};
  return "the libraries of CUDA " + std::to_string(CUBLAS_VER_MAJOR) +
         " are missing: " + library().why_missing +
         " (neither in LD_LIBRARY_PATH nor in /usr/local/cuda/lib64)";
}

void* blas_function(const char* name) {
  if (library().handle == nullptr) throw Error(why_no_blas());
  void* const function = dlsym(library().handle, name);
  if (function == nullptr) throw Error("this cuBLAS has no " + std::string(name));
  return function;
}

}  // namespace hpcx::gpu_cuda
