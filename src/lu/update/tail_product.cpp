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
    device_.blas().gemm(stream, {-1.0, l21_[static_cast<std::size_t>(panel)],
                                 u12_[static_cast<std::size_t>(chunk)], 1.0, a22});
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

/// Rows of U12 by one product with the inverse of L11, twice those of FP64: as low as deep products
/// stay fast. A multiple of the depths at which residues can be divided.
std::int64_t emulated_solve_rows(const ProductLimits& limits) {
  return (2 * limits.solve_rows + 127) / 128 * 128;
}
/// Whether an L11 of this width is used as residues: from four parts on, since the products of
/// fewer are not deep enough to pay for the residues of U.
bool solves_by_residues(const ProductLimits& limits, std::int64_t width) {
  return limits.solve_rows > 0 && width >= 4 * emulated_solve_rows(limits);
}
/// Products that make U12 run beside those of the tail.
std::int64_t solve_workspace_bytes(const ProductLimits& limits, int moduli,
                                   bool shares_host_memory) {
  if (shares_host_memory || !solves_by_residues(limits, limits.depth)) return 0;
  return hpcx::emulation_workspace_bytes(emulated_solve_rows(limits), limits.columns, moduli);
}

class EmulatedProduct final : public TailProduct {
 public:
  EmulatedProduct(hpcx::Device& device, const ProductLimits& limits, int moduli)
      : device_(device),
        emulation_(*device.emulation()),
        limits_(limits),
        moduli_(moduli),
        workspace_(device.allocate(static_cast<std::size_t>(
            workspace_bytes(limits, moduli, device.shares_host_memory())))),
        solve_workspace_(device.allocate(static_cast<std::size_t>(
            solve_workspace_bytes(limits, moduli, device.shares_host_memory())))) {
    const auto operands = [&](int count, std::int64_t lines) {
      std::vector<Operand> made(static_cast<std::size_t>(count));
      for (Operand& operand : made)
        operand.memory = device.allocate(
            static_cast<std::size_t>(hpcx::residue_bytes(lines, limits.depth, moduli)));
      return made;
    };
    l21_ = operands(limits.panels, limits.rows);
    u12_ = operands(limits.chunks, limits.columns);
    if (solves_by_residues(limits, limits.depth)) l11_ = operands(limits.panels, limits.depth);
  }

  void prepare_l11(hpcx::StreamRef stream, int panel, hpcx::ConstMatrixView l11) override {
    if (solves_by_residues(limits_, l11.rows))
      prepare(stream, l11_[static_cast<std::size_t>(panel)], l11);
  }
  void solve(hpcx::StreamRef stream, int panel, int chunk, const TailSolve& solve) override {
    const auto& [l11, u, u12, rows_of_fp64] = solve;
    if (!solves_by_residues(limits_, l11.rows) || u.empty()) return solve_u12(stream, solve);
    Operand& of_u = u12_[static_cast<std::size_t>(chunk)];
    prepare(stream, of_u, u.transposed());
    const hpcx::ResidueView& inverse = l11_[static_cast<std::size_t>(panel)].residues;
    const std::int64_t part = emulated_solve_rows(limits_);
    // The inverse is zero above its diagonal.
    for (std::int64_t i = 0; i < l11.rows; i += part) {
      const std::int64_t rows = std::min(part, l11.rows - i), depth = i + rows;
      const hpcx::MatrixView to = u12.row_range(i, rows);
      device_.kernels().fill(stream, 0.0, to);
      emulation_.add_product(
          stream,
          {1, part_of(inverse, i, rows, depth), part_of(of_u.residues, 0, u.cols, depth), to},
          solve_workspace_);
    }
  }

  void prepare_l21(hpcx::StreamRef stream, int panel, hpcx::ConstMatrixView l21) override {
    prepare(stream, l21_[static_cast<std::size_t>(panel)], l21);
  }
  void prepare_u12(hpcx::StreamRef stream, int chunk, hpcx::ConstMatrixView u12) override {
    prepare(stream, u12_[static_cast<std::size_t>(chunk)], u12.transposed());
  }
  void subtract(hpcx::StreamRef stream, int panel, int chunk, hpcx::MatrixView a22) override {
    emulation_.add_product(stream,
                           {-1, l21_[static_cast<std::size_t>(panel)].residues,
                            u12_[static_cast<std::size_t>(chunk)].residues, a22},
                           workspace_);
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

  hpcx::Device& device_;
  hpcx::Emulation& emulation_;
  ProductLimits limits_;
  int moduli_;
  hpcx::Buffer workspace_, solve_workspace_;  // updates and solves run beside each other
  std::vector<Operand> l11_, l21_, u12_;
};

}  // namespace

void solve_u12(hpcx::StreamRef stream, const TailSolve& solve) {
  const auto& [l11, u, u12, part] = solve;
  hpcx::Device& device = stream.device();
  if (part == 0) {
    device.blas().trsm(stream, {hpcx::Triangle::Lower, hpcx::Diagonal::Unit, l11}, u);
    if (u.data != u12.data) device.kernels().copy(stream, u, u12);
    return;
  }
  // The inverse is zero above its diagonal.
  for (std::int64_t i = 0; i < l11.rows; i += part) {
    const std::int64_t rows = std::min(part, l11.rows - i);
    device.blas().gemm(stream, {1.0, l11.block(i, 0, rows, i + rows), u.row_range(0, i + rows), 0.0,
                                u12.row_range(i, rows)});
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
         (solves_by_residues(limits, limits.depth)
              ? limits.panels * hpcx::residue_bytes(limits.depth, limits.depth, moduli)
              : 0) +
         workspace_bytes(limits, moduli, shares_host_memory) +
         solve_workspace_bytes(limits, moduli, shares_host_memory);
}

}  // namespace hpl
