// Loaded in front of the BLAS (LD_PRELOAD), it makes every product take twenty times as long, as a
// rank on a bad core does, whatever else the machine has to do. With XHPL_TEST_PRODUCT="<ms>" a
// product takes that many milliseconds, asleep, and computes nothing: its rate is made up, and no
// other process of the machine changes it.
// With XHPL_TEST_PAUSE="<ms>" a product that is computed takes that many milliseconds more.

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <thread>

// As the ABI sees it: names of the enumerations differ between libraries.
extern "C" void cblas_dgemm(int layout, int op_a, int op_b, int m, int n, int k, double alpha,
                            const double* a, int lda, const double* b, int ldb, double beta,
                            double* c, int ldc) {
  static const char* const made_up = std::getenv("XHPL_TEST_PRODUCT");
  if (made_up != nullptr)
    return std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(made_up)));
  static const auto next =
      reinterpret_cast<decltype(&cblas_dgemm)>(dlsym(RTLD_NEXT, "cblas_dgemm"));
  static const char* const pause = std::getenv("XHPL_TEST_PAUSE");
  constexpr int kPause = 19;
  const auto begin = std::chrono::steady_clock::now();
  next(layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (pause != nullptr)
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(pause)));
  else
    std::this_thread::sleep_for(kPause * (std::chrono::steady_clock::now() - begin));
}
