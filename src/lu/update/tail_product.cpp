#include "hpl/lu/update/tail_product.h"

#include <vector>

#include "hpcx/emulation.h"
#include "hpl/lu/matrix/distributed_matrix.h"

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

/// Operands are copied to where products are fastest: to lines of memory of their own that begin at
/// multiples of kPadding, in a depth that is one.
class PaddedProduct final : public TailProduct {
 public:
  PaddedProduct(hpcx::Device& device, const ProductLimits& limits)
      : device_(device),
        l21_(operands(device, limits.panels, limits.rows, limits.depth)),
        u12_(operands(device, limits.chunks, limits.columns, limits.depth)) {}

  static std::int64_t bytes(const ProductLimits& limits) {
    return limits.panels * operand_bytes(limits.rows, limits.depth) +
           limits.chunks * operand_bytes(limits.columns, limits.depth);
  }

  void prepare_l21(hpcx::StreamRef stream, int panel, hpcx::ConstMatrixView l21) override {
    prepare(stream, l21_[static_cast<std::size_t>(panel)], l21);
  }
  void prepare_u12(hpcx::StreamRef stream, int chunk, hpcx::ConstMatrixView u12) override {
    prepare(stream, u12_[static_cast<std::size_t>(chunk)], u12.transposed());
  }
  void subtract(hpcx::StreamRef stream, int panel, int chunk, hpcx::MatrixView a22) override {
    device_.blas().gemm(stream, -1.0, l21_[static_cast<std::size_t>(panel)].lines,
                        u12_[static_cast<std::size_t>(chunk)].lines.transposed(), 1.0, a22);
  }

 private:
  /// Rows of L21, columns of U12; ColumnMajor.
  struct Operand {
    hpcx::Buffer memory;
    hpcx::MatrixView lines;
  };

  static std::int64_t leading_dimension(std::int64_t lines) {
    return padded_leading_dimension(lines, kPadding);
  }
  static std::int64_t operand_bytes(std::int64_t lines, std::int64_t depth) {
    return 8 * leading_dimension(lines) * round_up(depth, kPadding);
  }
  static std::vector<Operand> operands(hpcx::Device& device, int count, std::int64_t lines,
                                       std::int64_t depth) {
    std::vector<Operand> made(static_cast<std::size_t>(count));
    for (Operand& operand : made)
      operand.memory = device.allocate(static_cast<std::size_t>(operand_bytes(lines, depth)));
    return made;
  }
  void prepare(hpcx::StreamRef stream, Operand& operand, hpcx::ConstMatrixView lines) {
    const std::int64_t depth = round_up(lines.cols, kPadding);
    operand.lines = {operand.memory.as<double>(), lines.rows, depth, leading_dimension(lines.rows),
                     hpcx::Layout::ColumnMajor};
    device_.kernels().copy(stream, lines, operand.lines.col_range(0, lines.cols));
    device_.kernels().fill(stream, 0.0, operand.lines.col_range(lines.cols, depth - lines.cols));
  }

  hpcx::Device& device_;
  std::vector<Operand> l21_, u12_;
};

/// Libraries of devices with memory of their own have their fast kernels for such depths alone.
bool wants_padding(const ProductLimits& limits, bool shares_host_memory) {
  return !shares_host_memory && limits.depth % kPadding != 0;
}

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

std::unique_ptr<TailProduct> make_fp64_product(hpcx::Device& device, const ProductLimits& limits) {
  return std::make_unique<Fp64Product>(device, limits);
}

std::unique_ptr<TailProduct> make_padded_product(hpcx::Device& device,
                                                 const ProductLimits& limits) {
  return std::make_unique<PaddedProduct>(device, limits);
}

std::unique_ptr<TailProduct> make_emulated_product(hpcx::Device& device,
                                                   const ProductLimits& limits, int moduli) {
  return std::make_unique<EmulatedProduct>(device, limits, moduli);
}

std::unique_ptr<TailProduct> make_product(hpcx::Device& device, const ProductLimits& limits,
                                          int moduli) {
  if (moduli > 0) return make_emulated_product(device, limits, moduli);
  return wants_padding(limits, device.shares_host_memory()) ? make_padded_product(device, limits)
                                                            : make_fp64_product(device, limits);
}

std::int64_t product_bytes(const ProductLimits& limits, int moduli, bool shares_host_memory) {
  if (moduli == 0)
    return wants_padding(limits, shares_host_memory) ? PaddedProduct::bytes(limits) : 0;
  return limits.panels * hpcx::residue_bytes(limits.rows, limits.depth, moduli) +
         limits.chunks * hpcx::residue_bytes(limits.columns, limits.depth, moduli) +
         workspace_bytes(limits, moduli, shares_host_memory);
}

}  // namespace hpl
