#include "hpl/lu/update/tail_product.h"

#include <algorithm>
#include <vector>

#include "hpcx/emulation.h"

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

/// Of the products by moduli; the CPU needs none.
std::int64_t workspace_bytes(const ProductLimits& limits, int moduli, bool shares_host_memory) {
  if (shares_host_memory) return 0;
  return hpcx::emulation_workspace_bytes(limits.rows, limits.columns, moduli);
}

class EmulatedProduct final : public TailProduct {
 public:
  EmulatedProduct(hpcx::Device& device, const ProductLimits& limits, int moduli)
      : emulation_(*device.emulation()),
        moduli_(moduli),
        workspace_(device.allocate(static_cast<std::size_t>(
            workspace_bytes(limits, moduli, device.shares_host_memory())))) {
    const auto operands = [&](int count, std::int64_t lines) {
      std::vector<Operand> made(static_cast<std::size_t>(count));
      for (Operand& operand : made)
        operand.memory = device.allocate(
            static_cast<std::size_t>(hpcx::residue_bytes(lines, limits.depth, moduli)));
      return made;
    };
    l21_ = operands(limits.panels, limits.rows);
    u12_ = operands(limits.chunks, limits.columns);
  }

  void prepare_l21(hpcx::StreamRef stream, int panel, hpcx::ConstMatrixView l21) override {
    prepare(stream, l21_[static_cast<std::size_t>(panel)], l21);
  }
  void prepare_u12(hpcx::StreamRef stream, int chunk, hpcx::ConstMatrixView u12) override {
    prepare(stream, u12_[static_cast<std::size_t>(chunk)], u12.transposed());
  }
  void subtract(hpcx::StreamRef stream, int panel, int chunk, hpcx::MatrixView a22) override {
    emulation_.subtract(stream, l21_[static_cast<std::size_t>(panel)].residues,
                        u12_[static_cast<std::size_t>(chunk)].residues, workspace_, a22);
  }

 private:
  struct Operand {
    hpcx::Buffer memory;
    hpcx::ResidueView residues;
  };
  void prepare(hpcx::StreamRef stream, Operand& operand, hpcx::ConstMatrixView lines) {
    operand.residues = hpcx::residue_view(operand.memory, lines.rows, lines.cols, moduli_);
    emulation_.prepare(stream, lines, operand.residues);
  }

  hpcx::Emulation& emulation_;
  int moduli_;
  hpcx::Buffer workspace_;
  std::vector<Operand> l21_, u12_;
};

}  // namespace

void solve_u12(hpcx::StreamRef stream, const TailSolve& solve) {
  const auto& [l11, u, u12, part] = solve;
  hpcx::Device& device = stream.device();
  if (part == 0) {
    device.blas().trsm(stream, hpcx::Triangle::Lower, hpcx::Diagonal::Unit, l11, u);
    if (u.data != u12.data) device.kernels().copy(stream, u, u12);
    return;
  }
  // The inverse is zero above its diagonal.
  for (std::int64_t i = 0; i < l11.rows; i += part) {
    const std::int64_t rows = std::min(part, l11.rows - i);
    device.blas().gemm(stream, 1.0, l11.block(i, 0, rows, i + rows), u.row_range(0, i + rows), 0.0,
                       u12.row_range(i, rows));
  }
}

std::unique_ptr<TailProduct> make_fp64_product(hpcx::Device& device, const ProductLimits& limits) {
  return std::make_unique<Fp64Product>(device, limits);
}

std::unique_ptr<TailProduct> make_emulated_product(hpcx::Device& device,
                                                   const ProductLimits& limits, int moduli) {
  return std::make_unique<EmulatedProduct>(device, limits, moduli);
}

std::unique_ptr<TailProduct> make_product(hpcx::Device& device, const ProductLimits& limits,
                                          int moduli) {
  return moduli == 0 ? make_fp64_product(device, limits)
                     : make_emulated_product(device, limits, moduli);
}

std::int64_t product_bytes(const ProductLimits& limits, int moduli, bool shares_host_memory) {
  if (moduli == 0) return 0;
  return limits.panels * hpcx::residue_bytes(limits.rows, limits.depth, moduli) +
         limits.chunks * hpcx::residue_bytes(limits.columns, limits.depth, moduli) +
         workspace_bytes(limits, moduli, shares_host_memory);
}

}  // namespace hpl
