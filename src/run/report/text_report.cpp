#include "hpl/run/report/text_report.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <ostream>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_style.h"
#include "hpl/base/text/text_value.h"
#include "hpl/report/result/phase_statistics.h"
#include "hpl/run/report/head_text.h"
#include "run_text.h"
#include "summary_text.h"

namespace hpl {
namespace {

const std::string kDoubleLine = std::string(80, '=') + "\n";
const std::string kSingleLine = std::string(80, '-') + "\n";

/// As ctime(), newline included, but reentrant: "Sat Jan  3 04:05:06 2026\n", local time.
std::string calendar_time(std::time_t time) {
  std::array<char, 64> text{};
  if (::ctime_r(&time, text.data()) == nullptr) return "unknown\n";
  return text.data();
}

/// "||x||_1  . . . . . = ": dots in odd columns, so that "= " stands in one column (netlib
/// HPL_pdtest.c).
std::string dotted(std::string_view label) {
  constexpr std::size_t kEqualsColumn = 47;
  std::string line(label);
  line += ' ';
  while (line.size() < kEqualsColumn)
    line += line.size() % 2 == 1 ? '.' : ' ';
  return line + "= ";
}

/// Netlib's lines of results.
std::string result_text(const RunResult& result) {
  const RunSpec& spec = result.spec;
  const std::string solver = spec.mixed ? "HPL_MxP()" : "HPL_pdgesv()";
  return "T/V                N    NB     P     Q               Time                 Gflops\n" +
         kSingleLine +
         fmt::format("{}{:12d} {:5d} {:5d} {:5d} {:>18.2f}    {:>19.4e}\n", variant_code(spec),
                     spec.order, spec.block_size, spec.grid_rows, spec.grid_columns, result.seconds,
                     result.gflops) +
         solver + " start time " + calendar_time(result.started) + "\n" + solver + " end time   " +
         calendar_time(result.ended) + "\n";
}

/// In place of the line of results: nothing that a script could take for one.
std::string stop_text(const RunResult& result) {
  const EarlyStop& stop = *result.stopped;
  std::string text = fmt::format(
      "# stopped early: {}: {} columns, {:.1f} % of the operations, in {:.2f} s at {}\n",
      size_text(result.spec), stop.columns_done, 100 * stop.fraction, result.seconds,
      rate_text(stop.gflops, 4));
  if (!result.zero_pivot_column)
    text += fmt::format(
        "# projection, not a result: at this rate the whole run would take {:.2f} s at {}; the end "
        "of a run is slower\n",
        stop.projected_seconds, rate_text(stop.projected_gflops, 4));
  return text;
}

std::string residual_text(const Residual& residual, double threshold) {
  const bool passed = residual_passed(residual, threshold);
  std::string text =
      fmt::format("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= {:>16.8e} ...... {}\n",
                  residual.scaled, passed ? "PASSED" : "FAILED");
  if (passed) return text;
  const std::array<std::pair<std::string_view, double>, 6> norms{{
      {"||Ax-b||_oo", residual.residual_infinity},
      {"||A||_oo", residual.matrix_infinity},
      {"||A||_1", residual.matrix_one},
      {"||x||_oo", residual.solution_infinity},
      {"||x||_1", residual.solution_one},
      {"||b||_oo", residual.right_side_infinity},
  }};
  for (const auto& [label, value] : norms) {
    text += fmt::format("{}{:>18.6f}\n", dotted(label), value);
  }
  return text;
}

}  // namespace

void TextReport::begin(const JobHeader& header) {
  std::string text = kDoubleLine;
  text += fmt::format("HPLinpack {}  --  {}, High-Performance Linpack by blocked LU\n",
                      one_line(header.program.version), one_line(header.program.name));
  text += kDoubleLine + "\n";

  const std::string environment = environment_lines(header, style_.detail);
  text += environment + (environment.empty() ? "" : "\n");

  text += remark_lines(header.remarks);
  if (!header.remarks.empty()) text += "\n";

  text += "The runs are made of these values:\n\n" + parameter_text(header.parameters) + "\n";
  text += kSingleLine + "\n";
  if (header.parameters.threshold > 0) {
    text +=
        "- A run passes when this scaled residual, from a matrix made anew, is below\n"
        "  the threshold:\n"
        "      ||Ax-b||_oo / ( eps * ( || A ||_oo * || x ||_oo + || b ||_oo ) * N )\n";
    text += fmt::format("- eps, the unit roundoff, is {:51.6e}\n",
                        std::numeric_limits<double>::epsilon() / 2);
    text += fmt::format("- The threshold is {:57.1f}\n\n", header.parameters.threshold);
  } else {
    text += "- The threshold is not positive: no residual is computed.\n\n";
  }
  write(Detail::Usual, text);
}

void TextReport::row(const RunResult& result) {
  if (row_written_) return;
  row_written_ = true;
  write(Detail::Verdict, kDoubleLine + (result.stopped ? stop_text(result) : result_text(result)));
}

void TextReport::run(const RunResult& result) {
  row(result);
  row_written_ = false;
  std::string text;
  if (result.residual || result.zero_pivot_column) text += kSingleLine;
  if (result.residual) text += residual_text(*result.residual, result.spec.threshold);
  if (result.zero_pivot_column) {
    text += fmt::format("Zero pivot: no usable pivot in column {} (counted from 0) ...... FAILED\n",
                        *result.zero_pivot_column);
  }
  write(Detail::Verdict, text + run_lines(result, new_remarks(result.remarks), style_.detail));
}

std::vector<Remark> TextReport::new_remarks(const std::vector<Remark>& remarks) {
  ++runs_;
  std::vector<Remark> fresh;
  for (const Remark& remark : remarks) {
    auto known = std::ranges::find(remarks_, remark, &std::pair<Remark, int>::first);
    if (known == remarks_.end()) {
      known = remarks_.insert(known, {remark, 0});
      fresh.push_back(remark);
    }
    ++known->second;
  }
  return fresh;
}

std::string TextReport::remark_counts() const {
  std::string text;
  for (const auto& [remark, count] : remarks_)
    if (count > 1)
      text += fmt::format("# remark in {} of {} runs: {}\n", count, runs_, one_line(remark.text));
  return text;
}

void TextReport::checksums(const RunResult& result) {
  write(Detail::Verdict, checksum_text(result));
}

void TextReport::repeats(std::span<const RunResult> repeats) {
  if (repeats.size() < 2 || repeats.front().stopped) return;
  const RepeatSummary summary = summarize_repeats(repeats);
  const bool same_solution = std::ranges::all_of(repeats, [&](const RunResult& run) {
    return run.solution_hash == repeats.front().solution_hash;
  });
  const RateUnit unit = rate_unit(summary.maximum);
  std::string text = fmt::format("# {} repetitions: least {}, median {}, most {} {}", summary.count,
                                 significant(summary.minimum / unit.gflops, 4),
                                 significant(summary.median / unit.gflops, 4),
                                 significant(summary.maximum / unit.gflops, 4), unit.name);
  if (repeats.front().solution_hash)
    text += same_solution ? "; same solution" : "; solutions differ in bits";
  write(Detail::Usual, text + "\n");
}

void TextReport::end(const Tally& tally, double threshold) {
  const auto line = [](int count, std::string_view words) {
    return fmt::format("         {:6d} tests {}\n", count, words);
  };
  std::string text = kDoubleLine + "\n";
  text +=
      fmt::format("Finished {:6d} tests with the following results:\n",
                  tally.passed + tally.failed + tally.unchecked + tally.skipped + tally.stopped);
  if (threshold > 0) {
    text += line(tally.passed, "completed and passed residual checks,");
    text += line(tally.failed, "completed and failed residual checks,");
  } else {
    text += line(tally.unchecked, "completed without checking,");
    // Netlib has no line for these, and silence would hide them.
    if (tally.failed > 0) text += line(tally.failed, "failed without a residual check,");
  }
  if (tally.stopped > 0) text += line(tally.stopped, "stopped early without a result,");
  text += line(tally.skipped, "skipped because of illegal input values.");
  text += kSingleLine + "\nEnd of Tests.\n" + kDoubleLine + remark_counts();
  write(Detail::Usual, text);
  check();
}

void TextReport::gates(std::span<const GateResult> results) {
  for (const GateResult& result : results)
    write(result.held ? Detail::Usual : Detail::Verdict,
          fmt::format("# gate {} {:g}: {}, {}\n", result.gate, result.limit,
                      result.held ? "held" : "missed", one_line(result.reason)));
  check();
}

void TextReport::summary(const JobReport& job, std::span<const NextStep> next) {
  write(Detail::Usual, next_lines(next));
  write(Detail::Verdict, summary_line(job));
  check();
}

void TextReport::check() const {
  if (!out_) throw RunError("the report could not be written to its end: the output is incomplete");
}

void TextReport::write(Detail least, const std::string& text) {
  out_ << StyledText(style_).add(least, with_folded_comments(text)).text() << std::flush;
}

}  // namespace hpl
