#include "cuda/residue_kernels.h"

namespace hpcx::gpu_cuda::emulation {

namespace {

Reductions reductions_of(int moduli) {
  Reductions all{};
  all.moduli = moduli;
  for (int m = 0; m < moduli; ++m)
    all.of[m] = constants(moduli).reductions[static_cast<std::size_t>(m)];
  return all;
}

}  // namespace

void launch_exponents(cudaStream_t stream, ConstMatrixView matrix, const ResidueView& out) {
  if (matrix.rows == 0) return;
  const Wide limit = constants(out.moduli).norm_limit;
  const LineMatrix lines = lines_of_matrix(matrix);
  if (matrix.layout == Layout::ColumnMajor)
    exponents_across<<<grid_size(ceil_div(matrix.rows, kWarp)), kWarp * kWarps, 0, stream>>>(
        lines, limit, out.exponents);
  else
    exponents_along<<<grid_size(ceil_div(matrix.rows, kWarps)), kWarp * kWarps, 0, stream>>>(
        lines, limit, out.exponents);
  HPCX_CHECK_LAUNCH("exponents");
}

void launch_residues(cudaStream_t stream, ConstMatrixView matrix, const ResidueView& out) {
  if (matrix.empty()) return;
  const std::int64_t runs = out.pitch() / kRunOfResidues;
  const LineMatrix lines = lines_of_matrix(matrix);
  const Reductions reductions = reductions_of(out.moduli);
  if (matrix.layout == Layout::ColumnMajor)
    residues<true><<<grid_size(ceil_div(ceil_div(matrix.rows, kWarp) * runs, kWarps)),
                     kWarp * kWarps, 0, stream>>>(lines, out, reductions);
  else
    residues<false>
        <<<grid_size(ceil_div(matrix.rows * runs, kWarp * kWarps)), kWarp * kWarps, 0, stream>>>(
            lines, out, reductions);
  HPCX_CHECK_LAUNCH("residues");
}

}  // namespace hpcx::gpu_cuda::emulation
