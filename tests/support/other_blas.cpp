// Loaded in front of the BLAS (LD_PRELOAD), it takes the calls that matter, as another BLAS would.

#include <dlfcn.h>

// As the ABI sees it: names of the enumerations differ between libraries.
extern "C" void cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha,
                            const double* a, int lda, const double* b, int ldb, double beta,
                            double* c, int ldc) {
  static const auto next =
      reinterpret_cast<decltype(&cblas_dgemm)>(dlsym(RTLD_NEXT, "cblas_dgemm"));
  next(order, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
