#include "hpl/base/result/refinement.h"

#include "hpl/base/record/record.h"

namespace hpl {

void describe(Record& record, Refinement& refinement) {
  record.type("refinement", "How the factors of few bits became a solution in FP64.");
  record("factorization_seconds", refinement.factorization_seconds,
         "with refinement_seconds: the seconds of the run");
  record("refinement_seconds", refinement.refinement_seconds);
  record("factorization_gflops", refinement.factorization_gflops,
         "of the LU alone: 2/3 N^3 / factorization_seconds / 1e9");
  record("iterations", refinement.iterations,
         "each with one product by A and one solution by the factors; more than 50 are invalid",
         kCount);
  record("history", refinement.history,
         "scaled residuals after each iteration, the first of which solves by the factors alone");
  record("converged", refinement.converged);
  record("scale_exponent", refinement.scale_exponent, "the stored matrix is 2^it times A");
}

}  // namespace hpl
