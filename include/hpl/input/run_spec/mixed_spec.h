#pragma once

#include <array>
#include <string>

#include "hpcx/mixed.h"
#include "hpl/base/choice/choice.h"

namespace hpl {

class Record;

/// The matrix and right-hand side of an HPL-MxP run (docs/mxp.md).
enum class MixedEntries {
  Conforming,       ///< netlib HPL's [A|b], c sqrt(N) added to the diagonal: as the rules ask
  DominantIcl,      ///< ICL's reference: the diagonal is the sum of its row; for testing only
  DominantOpenMxp,  ///< the same of RIKEN's HPL-AI and OpenMxP's entries
  FasiHigham        ///< product of two triangles of constants, condition number 1000
};
inline constexpr std::array<Choice<MixedEntries>, 4> kMixedEntries{{
    {MixedEntries::Conforming, "conforming"},
    {MixedEntries::DominantIcl, "dominant:icl"},
    {MixedEntries::DominantOpenMxp, "dominant:openmxp"},
    {MixedEntries::FasiHigham, "fasi-higham"},
}};

/// The way from the factors in few bits to a solution in FP64.
enum class MixedSolver {
  Gmres,  ///< right-preconditioned GMRES in FP64
  Plain   ///< x := x + U^-1 L^-1 (b - A x)
};
inline constexpr std::array<Choice<MixedSolver>, 2> kMixedSolvers{{
    {MixedSolver::Gmres, "gmres"},
    {MixedSolver::Plain, "plain"},
}};

inline constexpr std::array<Choice<hpcx::Precision>, 3> kPrecisions{{
    {hpcx::Precision::Fp16, "fp16"},
    {hpcx::Precision::Bf16, "bf16"},
    {hpcx::Precision::Fp32, "fp32"},
}};

/// The settings of HPL-MxP beside the fields of HPL.dat.
struct MixedSpec {
  MixedEntries entries = MixedEntries::Conforming;
  double diagonal = 1;                               ///< c of c sqrt(N); of Conforming alone
  hpcx::Precision operands = hpcx::Precision::Fp16;  ///< of the products
  /// Of the matrix: `operands` or Fp32.
  hpcx::Precision storage = hpcx::Precision::Fp16;
  MixedSolver solver = MixedSolver::Gmres;

  bool operator==(const MixedSpec&) const = default;
};
void describe(Record& record, MixedSpec& spec);

/// The rules of HPL-MxP admit this matrix for testing only.
constexpr bool is_for_testing(MixedEntries entries) {
  return entries == MixedEntries::DominantIcl || entries == MixedEntries::DominantOpenMxp;
}

/// "FP16", "BF16 (not IEEE)"
std::string precision_text(hpcx::Precision precision);

/// All of it: "FP16 products, FP16 storage, conforming matrix, GMRES".
std::string to_string(const MixedSpec& spec);

}  // namespace hpl
