#include "hpl/base/result/verification.h"

#include <optional>

#include "hpl/base/record/record.h"

namespace hpl {

bool residual_passed(const Residual& residual, double threshold) {
  return residual.passed && residual.samples.wrong == 0 && residual.scaled < threshold;
}

void describe(Record& record, SampledRows& samples) {
  record("rows", samples.rows, {}, kCount);
  record("wrong", samples.wrong,
         "of these rows, further from the host's value than rounding allows", kCount);
  const auto of_wrong = [&](const char* name, auto& member, const char* meaning,
                            const Limits& limits = {}) {
    using Value = std::remove_reference_t<decltype(member)>;
    record.converted(
        name, [&] { return samples.wrong > 0 ? std::optional(member) : std::nullopt; },
        [&](std::optional<Value> value) { member = value.value_or(0); }, meaning, limits);
  };
  of_wrong("first_row", samples.first_row, "the first wrong one, global, from 0", kCount);
  of_wrong("residual", samples.residual, "b - A x in that row by the device and its BLAS");
  of_wrong("own", samples.own, "b - A x in that row by the host");
  of_wrong("tolerance", samples.tolerance, "how far rounding may set the two apart");
}

void describe(Record& record, Residual& residual) {
  record.type("residual");
  record("scaled", residual.scaled, "||Ax-b||_oo / (eps (||A||_oo ||x||_oo + ||b||_oo) N)");
  record("residual_infinity", residual.residual_infinity, "||Ax-b||_oo");
  record("matrix_infinity", residual.matrix_infinity, "||A||_oo");
  record("matrix_one", residual.matrix_one, "||A||_1");
  record("solution_infinity", residual.solution_infinity, "||x||_oo");
  record("solution_one", residual.solution_one, "||x||_1");
  record("right_side_infinity", residual.right_side_infinity, "||b||_oo");
  record.converted(
      "passed", [&] { return residual_passed(residual); },
      [&](bool passed) { residual.passed = passed; },
      "of the residual alone; false whenever anything is not finite or a sampled row is wrong");
  record("sampled", residual.samples,
         "Rows of b - A x that were made once more by the host, from the formula of the matrix. "
         "Where they are wrong, the larger values are part of the norm.",
         kAddedLater);
}

namespace {

/// Above any count of steps or rows, and exact as a floating-point number.
constexpr double kMostCounted = 1e15;

}  // namespace

void describe(Record& record, ChecksumFault& fault) {
  record("rank", fault.rank, {}, {.minimum = 0, .maximum = 1e8});
  record("first_step", fault.first_step, "it arose in one of the steps from here",
         {.minimum = 0, .maximum = kMostCounted});
  record("last_step", fault.last_step, "to here", {.minimum = 0, .maximum = kMostCounted});
  record("rows", fault.rows, "that did not agree", {.minimum = 1, .maximum = kMostCounted});
  record("first_row", fault.first_row, "global, from 0", {.minimum = 0, .maximum = kMostCounted});
  record("difference", fault.difference, "the largest");
  record("tolerance", fault.tolerance, "what rounding may do");
}

void describe(Record& record, ChecksumResult& checksums) {
  record.type("checksums");
  record("interval", checksums.interval, "steps between comparisons",
         {.minimum = 1, .maximum = kMostCounted});
  record("comparisons", checksums.comparisons,
         "how often a rank compared its sums: the fewest of all ranks with rows below a panel; 0: "
         "nothing was shown",
         {.minimum = 0, .maximum = kMostCounted});
  record("repeated", checksums.repeated,
         "seen when the factorization was made again because the residual failed");
  record("faults", checksums.faults,
         "Ranks whose sums did not agree, the earliest first; what comes later came from there.");
}

void describe(Record& record, Traffic& traffic) {
  constexpr const char* kCopies = "copies; 0 where host and device share memory";
  record("host_to_device", traffic.host_to_device, kCopies, kCount);
  record("device_to_host", traffic.device_to_host, kCopies, kCount);
  record(
      "peer", traffic.peer,
      "messages from device to device by the devices' own library (NCCL) or out of mapped memory",
      kCount);
  record("mpi", traffic.mpi, "messages by MPI, whatever memory they are in", kCount);
}

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
