// LU of whole matrices, square or tall, by cuSOLVER: the simplest rival of a run on one GPU.
//
//     nvcc -std=c++17 -O2 -arch=sm_90 lab/bench/getrf_bench.cu -lcusolver -o getrf_bench
//     ./getrf_bench 32768 65536 20000x1000

#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                             \
  do {                                                          \
    const int code = static_cast<int>(call);                    \
    if (code != 0) {                                            \
      std::fprintf(stderr, "%s failed with %d\n", #call, code); \
      std::exit(1);                                             \
    }                                                           \
  } while (false)

__global__ void fill_random(double* a, long long count) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    unsigned long long x = 6364136223846793005ull * static_cast<unsigned long long>(i + 1);
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    a[i] = 0.5 - static_cast<double>(x) * 0x1p-64;
  }
}

int main(int argc, char** argv) {
  cusolverDnHandle_t solver;
  CHECK(cusolverDnCreate(&solver));
  cusolverDnParams_t params;
  CHECK(cusolverDnCreateParams(&params));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int k = 1; k < argc; ++k) {
    char* rest = nullptr;
    const long long m = std::strtoll(argv[k], &rest, 10);
    const long long n = *rest == 'x' ? std::atoll(rest + 1) : m;
    double* a;
    long long* pivots;
    int* info;
    void* device_work;
    CHECK(cudaMalloc(&a, sizeof(double) * m * n));
    CHECK(cudaMalloc(&pivots, sizeof(long long) * (m < n ? m : n)));
    CHECK(cudaMalloc(&info, sizeof(int)));
    std::size_t device_bytes = 0, host_bytes = 0;
    CHECK(cusolverDnXgetrf_bufferSize(solver, params, m, n, CUDA_R_64F, a, m, CUDA_R_64F,
                                      &device_bytes, &host_bytes));
    CHECK(cudaMalloc(&device_work, device_bytes));
    void* host_work = std::malloc(host_bytes + 1);
    for (int round = 0; round < 2; ++round) {  // the first one warms up
      fill_random<<<1024, 256>>>(a, m * n);
      CHECK(cudaEventRecord(begin));
      CHECK(cusolverDnXgetrf(solver, params, m, n, CUDA_R_64F, a, m,
                             reinterpret_cast<int64_t*>(pivots), CUDA_R_64F, device_work,
                             device_bytes, host_work, host_bytes, info));
      CHECK(cudaEventRecord(end));
      CHECK(cudaEventSynchronize(end));
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, begin, end));
      if (round == 1)
        std::printf("getrf %lld x %lld: %.3f ms, %.3f TFLOP/s\n", m, n, ms,
                    (1.0 * m * n * n - n * n * n / 3.0) / (ms * 1e-3) / 1e12);
    }
    CHECK(cudaFree(device_work));
    CHECK(cudaFree(info));
    CHECK(cudaFree(pivots));
    CHECK(cudaFree(a));
    std::free(host_work);
  }
}
