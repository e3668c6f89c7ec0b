#include "cuda/cuda_mixed.h"
#include "cuda/mixed_elements.h"
#include "cuda/mixed_numbers.h"
#include "gpu/generate_lines.h"

namespace hpcx::gpu_cuda {

namespace {

/// factor A(fast, slow), or its transpose, in the format T.
template <class T, class Elements>
struct RoundedElement {
  std::uint64_t seed;
  Elements elements;
  double factor;

  __device__ T operator()(std::uint64_t state, std::int64_t fast, std::int64_t slow) const {
    return rounded<T>(factor * (fast == slow ? elements.on_diagonal(state, fast)
                                             : elements.beside(state, fast, slow)));
  }
};

}  // namespace

void CudaMixed::generate(StreamRef stream, const MixedPart& mixed, double factor, MixedView tile) {
  const MixedMatrix& matrix = mixed.matrix;
  const GlobalPart part{matrix.order, mixed.rows, mixed.cols};
  const cudaStream_t native = activate(stream).native();
  with_elements(matrix, tile.layout == Layout::RowMajor, [&](const auto& elements) {
    with_type(tile.precision, [&]<class T>(std::type_identity<T>) {
      using Elements = std::remove_cvref_t<decltype(elements)>;
      const RoundedElement<T, Elements> element{matrix.seed, elements, factor};
      constexpr int kPack = 4 / sizeof(T);  // a warp writes 128 bytes
      if (lines_begin_at(tile, 4))
        launch_generate<kPack>(native, part, tile.as<T>(), element);
      else
        launch_generate<1>(native, part, tile.as<T>(), element);
    });
  });
}

}  // namespace hpcx::gpu_cuda
