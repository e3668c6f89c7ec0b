#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "hpcx/generator.h"
#include "hpcx/mixed.h"

// Elements of a MixedMatrix by their state in the random sequence and their global indices.

namespace hpcx::gpu_cuda {

template <generator::Form kForm>
struct RandomElements {
  std::uint64_t seed;
  double shift;
  const double* diagonal;

  __device__ double beside(std::uint64_t state, std::int64_t, std::int64_t) const {
    return generator::value(kForm, state);
  }
  __device__ double on_diagonal(std::uint64_t state, std::int64_t i) const {
    // No fused multiply-add: the sum is that of two rounded numbers.
    return diagonal != nullptr ? diagonal[i] : __dadd_rn(generator::value(kForm, state), shift);
  }
};

struct FasiHighamElements {
  std::uint64_t seed;
  double alpha, beta;

  // No fused multiply-add: the elements are the same as on the CPU.
  __device__ double at(double first, std::int64_t index) const {
    return __dadd_rn(first, __dmul_rn(__dmul_rn(alpha, beta), static_cast<double>(index)));
  }
  __device__ double beside(std::uint64_t, std::int64_t i, std::int64_t j) const {
    return i > j ? at(-alpha, j) : at(-beta, i);
  }
  __device__ double on_diagonal(std::uint64_t, std::int64_t i) const { return at(1, i); }
};

/// Calls use(elements) with the elements of the matrix, or of its transpose.
template <class Use>
void with_elements(const MixedMatrix& matrix, bool transposed, const Use& use) {
  using generator::Form;
  if (matrix.kind == MixedMatrix::Kind::FasiHigham)
    return transposed ? use(FasiHighamElements{matrix.seed, matrix.beta, matrix.alpha})
                      : use(FasiHighamElements{matrix.seed, matrix.alpha, matrix.beta});
  switch (matrix.form) {
    case Form::Netlib:
      return use(RandomElements<Form::Netlib>{matrix.seed, matrix.shift, matrix.diagonal});
    case Form::Icl:
      return use(RandomElements<Form::Icl>{matrix.seed, matrix.shift, matrix.diagonal});
    case Form::OpenMxp:
      return use(RandomElements<Form::OpenMxp>{matrix.seed, matrix.shift, matrix.diagonal});
  }
}

}  // namespace hpcx::gpu_cuda
