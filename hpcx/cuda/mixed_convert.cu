#include "cuda/cuda_mixed.h"
#include "cuda/mixed_numbers.h"
#include "gpu/launch.h"
#include "gpu/pack.h"

namespace hpcx::gpu_cuda {

namespace {

/// Zero times NaN counts as zero.
template <class To, class From>
__device__ To scaled(float factor, From value) {
  return rounded<To>(factor == 0 ? 0.0F : factor * static_cast<float>(value));
}

template <int kPack, class From, class To>
__global__ void convert_lines(float factor, Lines<From> source, Lines<To> destination) {
  const std::int64_t pieces = ceil_div(source.length, kThreads * kPack);
  const std::int64_t place = (blockIdx.x % pieces * kThreads + threadIdx.x) * kPack;
  const std::int64_t line = blockIdx.x / pieces;
  const From* from = source.data + line * source.ld + place;
  To* to = destination.data + line * destination.ld + place;
  if (place + kPack <= source.length) {
    const auto old = load<kPack>(from);
    Pack<To, kPack> converted;
#pragma unroll
    for (int p = 0; p < kPack; ++p)
      converted.element[p] = scaled<To>(factor, old.element[p]);
    store(to, converted);
  } else {
    for (int p = 0; place + p < source.length; ++p)
      to[p] = scaled<To>(factor, from[p]);
  }
}

template <int kPack, class From, class To>
void launch_convert(cudaStream_t stream, float factor, Lines<From> source, Lines<To> destination) {
  const std::int64_t blocks = source.lines * ceil_div(source.length, kThreads * kPack);
  convert_lines<kPack><<<grid_size(blocks), kThreads, 0, stream>>>(factor, source, destination);
  HPCX_CHECK_LAUNCH("convert_lines");
}

}  // namespace

void launch_scaled_copy(cudaStream_t stream, float factor, MixedView source,
                        MixedView destination) {
  if (source.empty()) return;
  with_type(source.precision, [&]<class From>(std::type_identity<From>) {
    with_type(destination.precision, [&]<class To>(std::type_identity<To>) {
      const auto from = lines_of(source.as<From>());
      const auto to = lines_of(destination.as<To>());
      if (lines_begin_at(source, 16) && lines_begin_at(destination, 16))
        launch_convert<8>(stream, factor, from, to);
      else
        launch_convert<1>(stream, factor, from, to);
    });
  });
}

void CudaMixed::convert(StreamRef stream, MixedView source, MixedView destination) {
  HPCX_ASSERT(source.rows == destination.rows && source.cols == destination.cols &&
              source.layout == destination.layout);
  launch_scaled_copy(activate(stream).native(), 1, source, destination);
}

}  // namespace hpcx::gpu_cuda
