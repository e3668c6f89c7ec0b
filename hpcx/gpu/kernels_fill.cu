#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "gpu/stream.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

constexpr int kPerThread = 8;

/// Calls `element(x)` for every element, neighbouring threads on neighbouring elements.
template <class Element>
__device__ void for_each_element(Lines<double> a, Element element) {
  const std::int64_t pieces = ceil_div(a.length, kThreads);
  const std::int64_t place = blockIdx.x % pieces * kThreads + threadIdx.x;
  const std::int64_t first = blockIdx.x / pieces * kPerThread;
  if (place >= a.length) return;
#pragma unroll
  for (int u = 0; u < kPerThread; ++u)
    if (first + u < a.lines) element(a.data[(first + u) * a.ld + place]);
}

__global__ void fill_lines(Lines<double> a, double value) {
  for_each_element(a, [=](double& x) { x = value; });
}

__global__ void scale_lines(Lines<double> a, double factor) {
  for_each_element(a, [=](double& x) { x *= factor; });
}

unsigned grid_over(Lines<double> a) {
  return grid_size(ceil_div(a.length, kThreads) * ceil_div(a.lines, kPerThread));
}

}  // namespace

void GpuKernels::fill(StreamRef stream, double value, MatrixView destination) {
  if (destination.empty()) return;
  GpuStream& state = activate(stream);
  const Lines<double> lines = lines_of(destination);
  fill_lines<<<grid_over(lines), kThreads, 0, state.native()>>>(lines, value);
  HPCX_CHECK_LAUNCH("fill_lines");
}

void scale(gpuStream_t stream, double factor, MatrixView a) {
  if (a.empty()) return;
  const Lines<double> lines = lines_of(a);
  if (factor == 0)  // zero times NaN would not be zero
    fill_lines<<<grid_over(lines), kThreads, 0, stream>>>(lines, 0.0);
  else
    scale_lines<<<grid_over(lines), kThreads, 0, stream>>>(lines, factor);
  HPCX_CHECK_LAUNCH("scale_lines");
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
