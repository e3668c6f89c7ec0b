#include "cuda/residue_kernels.h"

namespace hpcx::gpu_cuda::emulation {

void launch_exponents(cudaStream_t stream, ConstMatrixView matrix, const ResidueView& out) {
  if (matrix.rows == 0) return;
  const Wide limit = constants(out.moduli).norm_limit;
  const LineMatrix lines = lines_of_matrix(matrix);
  if (matrix.layout == Layout::ColumnMajor)
    exponents_across<<<grid_size(ceil_div(matrix.rows, kWarp)), kWarp * kWarpsAcross, 0, stream>>>(
        lines, limit, out.exponents);
  else
    exponents_along<<<grid_size(ceil_div(matrix.rows, kWarps)), kWarp * kWarps, 0, stream>>>(
        lines, limit, out.exponents);
  HPCX_CHECK_LAUNCH("exponents");
}

void launch_residues(cudaStream_t stream, ConstMatrixView matrix, const ResidueView& out) {
  if (matrix.empty()) return;
  const LineMatrix lines = lines_of_matrix(matrix);
  const Reductions reductions = reductions_of(out.moduli);
  const unsigned blocks = grid_size(residue_blocks(out));
  if (matrix.layout == Layout::ColumnMajor)
    residues<true><<<blocks, kWarp * kWarps, 0, stream>>>(lines, out, reductions);
  else
    residues<false><<<blocks, kWarp * kWarps, 0, stream>>>(lines, out, reductions);
  HPCX_CHECK_LAUNCH("residues");
}

}  // namespace hpcx::gpu_cuda::emulation
