#include "hpl/report/result/run_failures.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/report/result/gates.h"

namespace hpl {
namespace {

std::string place_of(const RunResult& run, int rank) {
  std::string name = rank_name(run, rank);
  for (const DeviceTelemetry& device : run.devices)
    if (device.rank == rank && device.backend != "cpu")
      name += fmt::format(", {} {}", device.backend, device.device_index);
  return name;
}

std::string fault_line(const RunResult& run, const ChecksumFault& fault) {
  const std::string steps =
      fault.first_step == fault.last_step
          ? fmt::format("step {}", fault.last_step)
          : fmt::format("one of the steps {} to {}", fault.first_step, fault.last_step);
  return fmt::format(
      "disagree after {} on {}: {}, the first is row {}, by up to {:.3e} where rounding stays "
      "below {:.3e}",
      steps, place_of(run, fault.rank), count_text(fault.rows, "row"), fault.first_row,
      fault.difference, fault.tolerance);
}

/// Why the refinement makes the run invalid; empty: it does not.
std::string refinement_failure(const RunResult& run) {
  if (!run.refinement || run.zero_pivot_column || run.stopped) return {};
  const Refinement& refinement = *run.refinement;
  const std::string iterations =
      count_text(static_cast<std::size_t>(refinement.iterations), "iteration");
  if (refinement.iterations > kMostRefinements)
    return fmt::format("the refinement took {}, a valid run at most {}", iterations,
                       kMostRefinements);
  if (refinement.converged) return {};
  return fmt::format("the refinement did not converge: the scaled residual is {:.3g} after {}",
                     refinement.history.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                : refinement.history.back(),
                     iterations);
}

}  // namespace

std::vector<std::string> checksum_lines(const RunResult& run) {
  if (!run.checksums) return {};
  const ChecksumResult& result = *run.checksums;
  const std::string again = result.repeated ? "second factorization: " : "";
  if (result.faults.empty() && result.comparisons == 0)
    return {again + "compared 0 times, so they show nothing"};
  if (result.faults.empty())
    return {fmt::format("{}agree, compared {}: every {} and after the last", again,
                        count_text(result.comparisons, "time"),
                        result.interval == 1 ? "step" : count_text(result.interval, "step"))};
  // The place where it arose. Later disagreements came from there.
  const std::int64_t first =
      std::ranges::min(result.faults, {}, &ChecksumFault::last_step).last_step;
  std::vector<std::string> lines;
  for (const ChecksumFault& fault : result.faults)
    if (fault.last_step == first) lines.push_back(again + fault_line(run, fault));
  if (const std::size_t later = result.faults.size() - lines.size(); later > 0)
    lines.push_back(
        fmt::format("{}disagree later on {} more {}", again, later, later == 1 ? "rank" : "ranks"));
  return lines;
}

std::string wrong_rows_text(const SampledRows& samples) {
  return fmt::format(
      "b - A x is wrong in {} of {} sampled rows: in row {} it is {:.3e} by the device and its "
      "BLAS, {:.3e} by the check's own sum, where rounding stays below {:.3e}",
      samples.wrong, samples.rows, samples.first_row, samples.residual, samples.own,
      samples.tolerance);
}

std::vector<std::string> run_failures(const RunResult& run) {
  std::vector<std::string> failures;
  if (run.zero_pivot_column)
    failures.push_back(
        fmt::format("no usable pivot in column {} (counted from 0)", *run.zero_pivot_column));
  if (run.checksums && !run.checksums->faults.empty())
    for (const std::string& line : checksum_lines(run))
      failures.push_back("checksums: " + line);
  if (const std::string reason = refinement_failure(run); !reason.empty())
    failures.push_back(reason);
  if (run.residual && run.residual->samples.wrong > 0)
    failures.push_back(wrong_rows_text(run.residual->samples));
  else if (run.residual && !residual_passed(*run.residual, run.spec.threshold))
    failures.push_back(fmt::format("the scaled residual {:.3g} is not below {:g}",
                                   run.residual->scaled, run.spec.threshold));
  if (run.differs_from)
    failures.push_back(fmt::format(
        "the solution has other bits than that of the first repetition: hash {}, not {}",
        hash_text(run.solution_hash.value_or(0)), hash_text(*run.differs_from)));
  return failures;
}

}  // namespace hpl
