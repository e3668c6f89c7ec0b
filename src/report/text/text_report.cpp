#include "hpl/report/text/text_report.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <limits>
#include <numeric>
#include <ostream>

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/expectation.h"
#include "hpl/report/result/gates.h"
#include "hpl/report/result/phase_statistics.h"
#include "hpl/report/result/run_failures.h"
#include "hpl/report/text/head_text.h"
#include "power_text.h"

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
  return "T/V                N    NB     P     Q               Time                 Gflops\n" +
         kSingleLine +
         fmt::format("{}{:12d} {:5d} {:5d} {:5d} {:>18.2f}    {:>19.4e}\n", variant_code(spec),
                     spec.order, spec.block_size, spec.grid_rows, spec.grid_columns, result.seconds,
                     result.gflops) +
         "HPL_pdgesv() start time " + calendar_time(result.started) + "\n" +
         "HPL_pdgesv() end time   " + calendar_time(result.ended) + "\n";
}

/// In place of the line of results: nothing that a script could take for one.
std::string stop_text(const RunResult& result) {
  const RunSpec& spec = result.spec;
  const EarlyStop& stop = *result.stopped;
  std::string text = fmt::format(
      "# stopped early: N = {}, NB = {}, {} x {}: {} columns, {:.1f} % of the operations, in "
      "{:.2f} s at {:.4e} GFLOP/s\n",
      spec.order, spec.block_size, spec.grid_rows, spec.grid_columns, stop.columns_done,
      100 * stop.fraction, result.seconds, stop.gflops);
  if (!result.zero_pivot_column)
    text += fmt::format(
        "# projection, not a result: at this rate the whole run would take {:.2f} s at {:.4e} "
        "GFLOP/s; the end of a run is slower\n",
        stop.projected_seconds, stop.projected_gflops);
  return text;
}

std::string residual_text(const Residual& residual) {
  const bool passed = residual_passed(residual);
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

std::string phase_text(const RunResult& result) {
  const auto idle = [](const PhaseRange& spread) { return !(spread.maximum > 0); };
  if (std::all_of(result.phases.begin(), result.phases.end(), idle)) return {};
  std::string text = fmt::format("# {:<22} {:>12} {:>7} {:>8} {:>12} {:>7}\n", "phase", "max s",
                                 "% run", "rank", "min s", "rank");
  for (std::size_t phase = 0; phase < result.phases.size(); ++phase) {
    const PhaseRange& spread = result.phases[phase];
    // Most matrices are on the device.
    const bool of_host_memory = static_cast<Phase>(phase) >= Phase::MatrixLoad;
    if (of_host_memory && idle(spread)) continue;
    const double share = result.seconds > 0 ? 100 * spread.maximum / result.seconds : 0;
    text += fmt::format("# {:<22} {:>12.4f} {:>7.1f} {:>8} {:>12.4f} {:>7}\n",
                        to_string(static_cast<Phase>(phase)), spread.maximum, share,
                        spread.maximum_rank, spread.minimum, spread.minimum_rank);
  }
  return text;
}

std::string rank_text(const RunResult& result) {
  const auto ranks = rank_extremes(result);
  if (!ranks) return {};
  return fmt::format(
      "# ranks: matrix products slowest on {}, {:.4e} GFLOP/s, fastest on {}, "
      "{:.4e} GFLOP/s: {:.1f} % apart\n",
      one_line(rank_name(result, ranks->slowest)), ranks->slowest_gflops,
      one_line(rank_name(result, ranks->fastest)), ranks->fastest_gflops, ranks->spread);
}

/// One row: the mean of the devices' means, the least and the most of any device.
std::string sensor_row(std::string_view name, std::span<const DeviceTelemetry> devices,
                       std::optional<SensorRange> TelemetrySummary::*sensor) {
  SensorRange all{.minimum = std::numeric_limits<double>::infinity(), .mean = 0, .maximum = 0};
  int count = 0;
  for (const DeviceTelemetry& device : devices) {
    const std::optional<SensorRange>& range = device.sensors.*sensor;
    if (!range) continue;
    all.minimum = std::min(all.minimum, range->minimum);
    all.maximum = std::max(all.maximum, range->maximum);
    all.mean += range->mean;
    ++count;
  }
  if (count == 0) return {};
  return fmt::format("# {:<22} {:>12.1f} {:>12.1f} {:>12.1f} {:>9}\n", name, all.mean / count,
                     all.minimum, all.maximum, count);
}

std::string device_text(const RunResult& result) {
  const std::vector<DeviceTelemetry> devices = distinct_devices(result.devices);
  const std::string rows =
      sensor_row("clock, MHz", devices, &TelemetrySummary::clock_mhz) +
      sensor_row("power, W", devices, &TelemetrySummary::power_watts) +
      sensor_row("temperature, C", devices, &TelemetrySummary::temperature_celsius);
  std::string text;
  if (!rows.empty())
    text = fmt::format("# {:<22} {:>12} {:>12} {:>12} {:>9}\n", "sensor", "mean", "min", "max",
                       "devices") +
           rows;
  if (const auto efficiency = gflops_per_watt(result))
    text += fmt::format("# efficiency: {:.3f} GFLOP/s per watt, {:.1f} W in all\n", *efficiency,
                        *total_power(devices));
  for (const std::string& finding : device_findings(devices))
    text += fmt::format("# device: {}\n", one_line(finding));
  return text;
}

/// Everybody waits for the slowest device: how far it is behind.
std::string uneven_text(const RunResult& result) {
  const std::vector<double>& rates = result.rank_attainable_gflops;
  if (rates.size() < 2) return {};
  const auto [slowest, fastest] = std::minmax_element(rates.begin(), rates.end());
  const auto name = [&](auto rate) {
    const auto rank = static_cast<std::size_t>(rate - rates.begin());
    const std::string host = rank < result.devices.size() ? result.devices[rank].host : "";
    return fmt::format("rank {}{} {:.4e}", rank, host.empty() ? "" : " on " + one_line(host),
                       *rate);
  };
  const double mean =
      std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  return fmt::format(
      "# uneven: GFLOP/s of matrix products alone, slowest {}, fastest {}; all at the slowest rate "
      "would reach {:.1f} % of the sum\n",
      name(slowest), name(fastest), mean > 0 ? 100 * *slowest / mean : 0);
}

std::string transport_text(const RunResult& result) {
  constexpr std::array<std::string_view, 2> kAlong{"panels", "rows of U"};
  std::string text;
  for (std::size_t i = 0; i < kAlong.size(); ++i) {
    const TransportUse& use = result.transports[i];
    if (use.ranks == 1) continue;
    text += fmt::format("{}{} among {} by {}", text.empty() ? "# transport: " : "; ", kAlong[i],
                        use.ranks, use.name);
    if (use.bandwidth > 0) text += fmt::format(", {:.1f} GB/s", use.bandwidth);
  }
  return text.empty() ? text : text + "\n";
}

/// Bytes of the timed part, by their way.
std::string traffic_text(const RunResult& result) {
  const Traffic& moved = result.traffic;
  const std::array<std::pair<std::int64_t, std::string_view>, 4> ways{{
      {moved.host_to_device, "host to device"},
      {moved.device_to_host, "device to host"},
      {moved.peer, "device to device"},
      {moved.mpi, "by MPI"},
  }};
  std::string text;
  for (const auto& [bytes, way] : ways)
    if (bytes > 0)
      text += fmt::format("{}{:.4g} GB {}", text.empty() ? "# bytes: " : ", ",
                          static_cast<double>(bytes) / 1e9, way);
  return text.empty() ? text : text + "\n";
}

/// What the host's cores did of the tail update.
std::string host_share_text(const RunResult& result) {
  if (!result.host_work) return {};
  const HostWork& work = *result.host_work;
  return fmt::format(
      "# host share: {:.1f} % of the tail update, {:.4e} GFLOP/s (first {:.1f} %, last {:.1f} %; "
      "host and device ended {:.1f} % of a step apart{})\n",
      100 * work.share(), work.gflops(), 100 * work.first_share, 100 * work.last_share,
      100 * work.imbalance(),
      work.given_up == 0 ? ""
                         : fmt::format("; given up on {} rank(s): steps without the host were no "
                                       "slower",
                                       work.given_up));
}

std::string solution_text(const RunResult& result) {
  if (!result.solution_hash) return {};
  return fmt::format("# solution: hash of its bits {}{}\n", hash_text(*result.solution_hash),
                     result.differs_from ? fmt::format(", not {} as in the first repetition",
                                                       hash_text(*result.differs_from))
                                         : "");
}

std::string wrong_rows(const RunResult& result) {
  if (!result.residual || result.residual->samples.wrong == 0) return {};
  return fmt::format("# residual: {}\n", wrong_rows_text(result.residual->samples));
}

std::string checksum_text(const RunResult& result) {
  std::string text;
  for (const std::string& line : checksum_lines(result))
    text += fmt::format("# checksums: {}\n", one_line(line));
  return text;
}

/// What the run is compared with, where that was seen, and what else was.
std::string attainable_text(const RunResult& result) {
  if (!result.attainable_gflops || !(*result.attainable_gflops > 0) || result.stopped) return {};
  std::string text =
      fmt::format("# ceiling: {:.1f} % of the {:.4e} GFLOP/s that matrix products reach here",
                  100 * result.gflops / *result.attainable_gflops, *result.attainable_gflops);
  const std::vector<SeenRate>& seen = result.attainable_rates;
  if (seen.empty()) return text + "\n";
  text += fmt::format(" ({}", seen.front().source);
  for (std::size_t i = 1; i < seen.size(); ++i)
    text += fmt::format("{} {} {:.4e}", i == 1 ? ";" : ",", seen[i].source, seen[i].gflops);
  return text + ")\n";
}

/// By phase, on the rank that is furthest beyond what the model says.
std::string expectation_text(const RunResult& result) {
  const std::optional<Comparison> comparison = compare_with_expectation(result);
  if (!comparison) return {};
  std::string text;
  for (const std::string& finding : expectation_findings(result))
    text += fmt::format("# {}{}\n", text.empty() ? "" : "expected: ", one_line(finding));
  if (comparison->phases.empty()) return text;
  text += fmt::format("# {:<22} {:>12} {:>16} {:>8}\n", "phase without waiting", "expected s",
                      "got s", "rank");
  for (const PhaseComparison& phase : comparison->phases)
    text += fmt::format("# {:<22} {:>12.4f} {:>16.4f} {:>8}\n", to_string(phase.phase),
                        phase.expected_seconds, phase.seconds, phase.rank);
  return text;
}

/// E = Rmax / Rpeak.
std::string peak_text(const RunResult& result) {
  const auto share = efficiency_of_peak(result);
  if (!share) return {};
  return fmt::format("# peak: {:.1f} % of the {:.4e} GFLOP/s of Rpeak: {}\n", 100 * *share,
                     result.peak->gflops, one_line(result.peak->source));
}

std::string own_block(const RunResult& result) {
  std::string text = fmt::format("# variant: {}\n", one_line(describe_variant(result.spec)));
  if (const std::string label = mode_label(result.spec); !label.empty())
    text += fmt::format("# arithmetic: {}\n", label);
  for (const std::string& remark : result.remarks)
    text += fmt::format("# remark: {}\n", one_line(remark));
  return text + wrong_rows(result) + solution_text(result) + transport_text(result) +
         traffic_text(result) + host_share_text(result) + attainable_text(result) +
         peak_text(result) + uneven_text(result) + phase_text(result) + expectation_text(result) +
         rank_text(result) + device_text(result) + power_lines(result) + checksum_text(result);
}

}  // namespace

void TextReport::begin(const JobHeader& header) {
  std::string text = kDoubleLine;
  text += fmt::format(
      "{} {} (HPLinpack)  --  High-Performance Linpack, one dense system by blocked LU\n",
      one_line(header.program.name), one_line(header.program.version));
  text += kDoubleLine + "\n";

  text += environment_lines(header.environment);
  if (!header.environment.empty()) text += "\n";

  text += remark_lines(header.remarks);
  if (!header.remarks.empty()) text += "\n";

  text += "The runs are made of these values:\n\n" + parameter_text(header.parameters) + "\n";
  text += kSingleLine + "\n";
  if (header.parameters.threshold > 0) {
    text +=
        "- A run passes when this scaled residual, computed from a matrix generated anew, is\n"
        "  below the threshold:\n"
        "      ||Ax-b||_oo / ( eps * ( || A ||_oo * || x ||_oo + || b ||_oo ) * N )\n";
    text += fmt::format("- eps, the unit roundoff, is {:51.6e}\n",
                        std::numeric_limits<double>::epsilon() / 2);
    text += fmt::format("- The threshold is {:57.1f}\n\n", header.parameters.threshold);
  } else {
    text += "- The threshold is not positive: no residual is computed.\n\n";
  }
  write(text);
}

void TextReport::run(const RunResult& result) {
  std::string text = kDoubleLine;
  text += result.stopped ? stop_text(result) : result_text(result);
  if (result.residual || result.zero_pivot_column) text += kSingleLine;
  if (result.residual) text += residual_text(*result.residual);
  if (result.zero_pivot_column) {
    text += fmt::format("Zero pivot: no usable pivot in column {} (counted from 0) ...... FAILED\n",
                        *result.zero_pivot_column);
  }
  write(text + own_block(result));
}

void TextReport::checksums(const RunResult& result) {
  write(checksum_text(result));
}

void TextReport::repeats(std::span<const RunResult> repeats) {
  if (repeats.size() < 2 || repeats.front().stopped) return;
  const RepeatSummary summary = summarize_repeats(repeats);
  write(fmt::format("# {} repetitions, GFLOP/s: min {:.4e}  median {:.4e}  max {:.4e}\n",
                    summary.count, summary.minimum, summary.median, summary.maximum));
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
  text += kSingleLine + "\nEnd of Tests.\n" + kDoubleLine;
  write(text);
  check();
}

void TextReport::gates(std::span<const GateResult> results) {
  std::string text;
  for (const GateResult& result : results)
    text += fmt::format("# gate {} {:g}: {}, {}\n", result.gate, result.limit,
                        result.held ? "held" : "missed", one_line(result.reason));
  write(text);
  check();
}

void TextReport::check() const {
  if (!out_) throw RunError("the report could not be written to its end: the output is incomplete");
}

void TextReport::write(const std::string& text) {
  out_ << text << std::flush;
}

}  // namespace hpl
