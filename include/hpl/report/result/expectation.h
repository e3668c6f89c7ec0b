#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// A phase beside what the model says of it, on the rank that is furthest beyond.
struct PhaseComparison {
  Phase phase = Phase::Multiply;
  int rank = 0;
  double expected_seconds = 0, seconds = 0;
  std::vector<int> ranks_beyond;  ///< with an excess of more than the model's error; ascending

  double excess() const { return seconds - expected_seconds; }
};

/// A run against its expectation.
enum class Outcome { AsExpected, Slower, Faster };
inline constexpr std::array<Choice<Outcome>, 3> kOutcomes{{
    {Outcome::AsExpected, "as expected"},
    {Outcome::Slower, "slower"},
    {Outcome::Faster, "faster"},
}};
inline std::string_view to_string(Outcome outcome) {
  return name_of(kOutcomes, outcome);
}

/// A run beside what the model says of it.
struct ExpectationComparison {
  Outcome outcome = Outcome::AsExpected;
  double difference_seconds = 0;        ///< that it took longer
  std::vector<PhaseComparison> phases;  ///< that the model or the run has, in their order
};

/// "49.0 to 54.2 TFLOP/s by the data sheet of NVIDIA H200"
std::string interval_text(const ExpectedRun& expected);

/// Empty of a run without an expectation, and of one that did something else than what was
/// predicted: it met a zero pivot, or carried checksums.
std::optional<ExpectationComparison> compare_with_expectation(const RunResult& run);

/// "expected 27.9 s, got 30.1 s: 7.9 % longer, beyond the model's error of 1.2 s", or the rate
/// beside the interval of a data sheet, and a sentence for each phase that takes longer than the
/// model allows: on which ranks, how much, and against what. The worst first.
std::vector<std::string> expectation_findings(const RunResult& run);

}  // namespace hpl
