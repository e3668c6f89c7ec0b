#include "hpl/lu/update/tail_product.h"

#include <vector>

namespace hpl {

namespace {

class Fp64Product final : public TailProduct {
 public:
  Fp64Product(hpcx::Device& device, const ProductLimits& limits)
      : device_(device),
        l21_(static_cast<std::size_t>(limits.panels)),
        u12_(static_cast<std::size_t>(limits.chunks)) {}

  void prepare_l21(hpcx::StreamRef, int panel, hpcx::ConstMatrixView l21) override {
    l21_[static_cast<std::size_t>(panel)] = l21;
  }
  void prepare_u12(hpcx::StreamRef, int chunk, hpcx::ConstMatrixView u12) override {
    u12_[static_cast<std::size_t>(chunk)] = u12;
  }
  void subtract(hpcx::StreamRef stream, int panel, int chunk, hpcx::MatrixView a22) override {
    device_.blas().gemm(stream, -1.0, l21_[static_cast<std::size_t>(panel)],
                        u12_[static_cast<std::size_t>(chunk)], 1.0, a22);
  }

 private:
  hpcx::Device& device_;
  std::vector<hpcx::ConstMatrixView> l21_, u12_;
};

}  // namespace

std::unique_ptr<TailProduct> make_fp64_product(hpcx::Device& device, const ProductLimits& limits) {
  return std::make_unique<Fp64Product>(device, limits);
}

std::int64_t fp64_product_bytes(const ProductLimits&) {
  return 0;
}

}  // namespace hpl
