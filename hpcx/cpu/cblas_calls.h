#pragma once

// The calls of CBLAS that host_blas.cpp makes. Vendors name their headers differently; the
// interface with 32-bit integers is the same everywhere. OpenBLAS brings its own header, whose
// integers may have 64 bits.
#ifdef HPCX_HAVE_OPENBLAS
#include <cblas.h>
#else
extern "C" {
enum CBLAS_ORDER { CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };
enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 };
enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 };
enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 };

void cblas_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c,
                 int ldc);
void cblas_sgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
void cblas_dtrsm(CBLAS_ORDER, CBLAS_SIDE, CBLAS_UPLO, CBLAS_TRANSPOSE, CBLAS_DIAG, int m, int n,
                 double alpha, const double* a, int lda, double* b, int ldb);
void cblas_strsm(CBLAS_ORDER, CBLAS_SIDE, CBLAS_UPLO, CBLAS_TRANSPOSE, CBLAS_DIAG, int m, int n,
                 float alpha, const float* a, int lda, float* b, int ldb);
void cblas_dgemv(CBLAS_ORDER, CBLAS_TRANSPOSE, int m, int n, double alpha, const double* a, int lda,
                 const double* x, int incx, double beta, double* y, int incy);
void cblas_sgemv(CBLAS_ORDER, CBLAS_TRANSPOSE, int m, int n, float alpha, const float* a, int lda,
                 const float* x, int incx, float beta, float* y, int incy);
void cblas_dger(CBLAS_ORDER, int m, int n, double alpha, const double* x, int incx, const double* y,
                int incy, double* a, int lda);
}
#endif
