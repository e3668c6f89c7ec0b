#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "hpl/base/text/text_style.h"
#include "hpl/report/result/run_result.h"
#include "hpl/run/report/job_report.h"
#include "hpl/run/report/next_steps.h"

namespace hpl {

/// The report for people and for the scripts that read netlib HPL's: same lines, same positions.
/// Lines that only this program writes begin with "# ", and never hold the words scripts search
/// for. They keep to 80 columns where no word is longer. Every call ends with a flush, so the
/// report of a job that is killed holds all finished runs.
class TextReport {
 public:
  /// Borrows `out` for the lifetime of the report.
  explicit TextReport(std::ostream& out, const TextStyle& style = {}) : out_(out), style_(style) {}

  /// Program, environment, remarks and parameters; once, before the first run.
  void begin(const JobHeader& header);

  /// The first part of run(), for a run that is not checked yet. Further calls write nothing until
  /// run() has written the rest.
  void row(const RunResult& result);

  /// One run: netlib's lines, then our own block. A remark stands below the first run that has it.
  void run(const RunResult& result);

  /// The result of checksums, if it came to light after run().
  void checksums(const RunResult& result);

  /// After the last repetition of a run; writes nothing for fewer than two.
  void repeats(std::span<const RunResult> repeats);

  /// The closing lines, and the number of runs of each remark that several have. Throws RunError
  /// when any part of the report could not be written.
  void end(const Tally& tally, double threshold);

  /// One line a gate, after the closing lines. Throws as end() does.
  void gates(std::span<const GateResult> results);

  /// Next commands, and the summary, the last line. Throws as end() does.
  void summary(const JobReport& job, std::span<const NextStep> next);

 private:
  /// If the report has at least this detail.
  void write(Detail least, const std::string& text);
  void check() const;
  /// Counts a run with these remarks. Returns those that no run before has had.
  std::vector<Remark> new_remarks(const std::vector<Remark>& remarks);
  std::string remark_counts() const;

  std::ostream& out_;
  const TextStyle style_;
  int runs_ = 0;
  bool row_written_ = false;                     // of the next run
  std::vector<std::pair<Remark, int>> remarks_;  // with the number of runs
};

}  // namespace hpl
