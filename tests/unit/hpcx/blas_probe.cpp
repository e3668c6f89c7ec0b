// A program with the names of one library of BLAS (MADE_UP_*), which are found before those of the
// linked one because its symbols are exported. Two threads call it, twice each. Prints each number
// of threads that it was asked for, then its description.

#include <cstdint>
#include <iostream>
#include <thread>

#include "hpcx/blas.h"
#include "hpcx/blas_library.h"

namespace {

[[maybe_unused]] void asked_for(std::int64_t threads) {
  std::cout << "threads " << threads << '\n';
}

}  // namespace

extern "C" {
// A library with a function of this name is the BLAS. Not called.
void cblas_dgemm() {}

#if defined(MADE_UP_BLIS) || defined(MADE_UP_AOCL)
const char* bli_info_get_version_str() {
#ifdef MADE_UP_AOCL
  return "AOCL-BLAS 5.0.0 Build 20240930";
#else
  return "1.2";
#endif
}
int bli_arch_query_id() {
  return 7;
}
const char* bli_arch_string(int id) {
  return id == 7 ? "generic" : "";
}
void bli_thread_set_num_threads(std::int64_t threads) {
  asked_for(threads);
}
#elif defined(MADE_UP_MKL)
struct MklVersion {
  int major, minor, update, patch;
  const char *status, *build, *processor, *platform;
};
void MKL_Get_Version(MklVersion* version) {
  *version = {2026,
              0,
              2,
              0,
              "Product",
              "20260915",
              "Intel(R) Advanced Vector Extensions 2 (Intel(R) AVX2) enabled processors",
              ""};
}
void MKL_Set_Num_Threads(int threads) {
  asked_for(threads);
}
#elif defined(MADE_UP_OpenBLAS) || defined(MADE_UP_FlexiBLAS)
#ifdef MADE_UP_FlexiBLAS
int flexiblas_current_backend(char* name, std::size_t bytes) {
  return static_cast<int>(std::string_view("OPENBLAS").copy(name, bytes));
}
void flexiblas_set_num_threads(int threads) {
  asked_for(threads);
}
#endif
char* openblas_get_config() {
  static char config[] = "OpenBLAS 0.3.99 DYNAMIC_ARCH";
  return config;
}
void openblas_set_num_threads([[maybe_unused]] int threads) {
#ifdef MADE_UP_OpenBLAS
  asked_for(threads);
#endif
}
#elif defined(MADE_UP_ArmPL)
void armplversion(int* major, int* minor, int* patch, const char** tag) {
  *major = 24, *minor = 10, *patch = 1, *tag = "";
}
void armpl_set_num_threads(int threads) {
  asked_for(threads);
}
#elif defined(MADE_UP_NVPL)
int nvpl_blas_get_version() {
  return 301;
}
void nvpl_blas_set_num_threads(int threads) {
  asked_for(threads);
}
#elif defined(MADE_UP_OpenMP)
void omp_set_num_threads(int threads) {
  asked_for(threads);
}
#endif
}

int main() {
  for (int thread = 0; thread < 2; ++thread)
    std::thread([] {
      float a = 1, b = 1, c = 0;
      for (int call = 0; call < 2; ++call)
        hpcx::host::gemm({1, {&a, 1, 1}, {&b, 1, 1}, 0, {&c, 1, 1}});
    }).join();
  const hpcx::host::BlasInfo info = hpcx::host::blas_info();
  std::cout << info.name << '|' << info.version << '|' << info.kernel << '|' << info.threading
            << '\n';
}
