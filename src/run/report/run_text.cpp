#include "run_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include <fmt/format.h>

#include "hpl/base/number/memory_account.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/disturbance.h"
#include "hpl/report/result/expectation.h"
#include "hpl/report/result/gates.h"
#include "hpl/report/result/hardware_events.h"
#include "hpl/report/result/run_failures.h"
#include "hpl/report/result/run_result.h"
#include "hpl/run/report/run_tables.h"

namespace hpl {
namespace {

/// Empty without a row.
std::string text_of_rows(const Table& table) {
  return table.rows.empty() ? "" : text_of(table, "# ");
}

std::string averages_text(const PowerAverages& averages, const RunResult& result) {
  std::string text =
      fmt::format("{:.1f} W on average, {:.2f} kJ", averages.watts, averages.joules / 1e3);
  if (!result.stopped && averages.watts > 0)
    text += fmt::format(", {:.3f} GFLOP/s per watt", result.gflops / averages.watts);
  text +=
      fmt::format("; {} samples, at most {:.1f} s apart", averages.samples, averages.longest_gap);
  std::string tenths;
  for (const auto& watts : averages.tenths)
    tenths += fmt::format(" {}", watts ? fmt::format("{:.1f}", *watts) : "-");
  return fmt::format("{}; W of the tenths:{}", text, tenths);
}

std::string phases_text(const ComponentPower& components) {
  if (components.phase_joules.empty()) return {};
  std::string text;
  for (const auto& [phase, joules] : components.phase_joules)
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", phase, joules / 1e3);
  return fmt::format("# energy by phase, kJ (phases overlap): {}\n", text);
}

std::string level_text(const RunPower& power) {
  const auto evidence = power_evidence(power);
  if (!evidence) return {};
  const auto aspects = power_aspects(*evidence);
  const int level = power_level(aspects);
  std::string missing;
  for (const PowerAspect& aspect : aspects)
    if (aspect.level == level && !aspect.missing.empty())
      missing += fmt::format("{}{}: {}", missing.empty() ? "" : "; ", aspect.name, aspect.missing);
  if (level == 0) return fmt::format("# power level: none; missing for level 1: {}\n", missing);
  return fmt::format("# power level: {} of 3; missing for level {}: {}\n", level, level + 1,
                     missing);
}

/// Core phase, power and energy of a run as lines that begin with "# "; empty without any sensor.
std::string power_lines(const RunResult& result) {
  if (!result.power || (!result.power->components && !result.power->meter)) return {};
  const RunPower& power = *result.power;
  std::string text =
      fmt::format("# core phase: {} to {}, {:.3f} s\n", iso_time({power.begin, power.utc_offset}),
                  iso_time({power.end, power.utc_offset}), power.seconds());
  if (power.components)
    text += fmt::format("# component power, {}: {}\n", power.components->sensors,
                        averages_text(power.components->averages, result)) +
            phases_text(*power.components);
  if (power.meter) {
    if (power.meter->averages)
      text += fmt::format("# metered power, {}: {}\n", one_line(power.meter->source),
                          averages_text(*power.meter->averages, result));
    for (const std::string& remark : power.meter->complaints)
      text += fmt::format("# power meter: {}\n", one_line(remark));
  }
  return text + level_text(power);
}

std::string device_text(const RunResult& result) {
  const std::vector<DeviceTelemetry> devices = distinct_devices(result.devices);
  std::string text = text_of_rows(sensor_table(result));
  if (const auto efficiency = gflops_per_watt(result))
    text += fmt::format("# efficiency: {:.3f} GFLOP/s per watt, {:.1f} W in all\n", *efficiency,
                        *total_power(devices));
  for (const std::string& finding : device_findings(result))
    text += fmt::format("# device: {}\n", one_line(finding));
  return text;
}

std::string events_text(const RunResult& result) {
  std::string text;
  for (const std::string& line : event_lines(result))
    text += fmt::format("# counters: {}\n", one_line(line));
  return text;
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

std::string wrong_rows(const RunResult& result) {
  if (!result.residual || result.residual->samples.wrong == 0) return {};
  return fmt::format("# residual: {}\n", wrong_rows_text(result.residual->samples));
}

/// By phase, on the rank that is furthest beyond what the model says.
std::string expectation_text(const RunResult& result) {
  const std::optional<ExpectationComparison> comparison = compare_with_expectation(result);
  if (!comparison) return {};
  std::string text;
  for (const std::string& finding : expectation_findings(result))
    text += fmt::format("# {}{}\n", text.empty() ? "" : "expected: ", one_line(finding));
  return text + text_of_rows(expectation_table(result));
}

/// "11.3 (rank 0 on vm) to 13.4 GFLOP/s, 17 % apart"
std::string extremes_text(const RunResult& result, const RankExtremes& ranks) {
  const RateUnit unit = rate_unit(ranks.fastest_gflops);
  return fmt::format("{} ({}) to {} {}, {:.1f} % apart",
                     significant(ranks.slowest_gflops / unit.gflops),
                     one_line(rank_name(result, ranks.slowest)),
                     significant(ranks.fastest_gflops / unit.gflops), unit.name, ranks.spread);
}

/// Everybody waits for the slowest rank: how far it is behind, alone and in the run.
std::string rank_text(const RunResult& result) {
  const auto alone = rate_extremes(result.rank_attainable_gflops);
  const auto in_run = rank_extremes(result);
  if (!alone && !in_run) return {};
  std::string text = "# ranks: products";
  if (alone) text += " alone " + extremes_text(result, *alone);
  if (alone && in_run) text += ";";
  if (in_run) text += " in the run " + extremes_text(result, *in_run);
  return text + "\n";
}

std::string_view transport_name(std::string_view name) {
  return name == "mpi" ? "MPI" : name == "nccl" ? "NCCL" : name;
}

std::string transport_text(const RunResult& result) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kAlong{
      {{"panels", "row"}, {"rows of U", "column"}}};
  std::string text;
  for (std::size_t i = 0; i < kAlong.size(); ++i) {
    const TransportUse& use = result.transports[i];
    if (use.ranks == 1) continue;
    text += fmt::format("{}{} by {} ({} of {} ranks", text.empty() ? "# transport: " : "; ",
                        kAlong[i].first, transport_name(use.name), kAlong[i].second, use.ranks);
    text += use.bandwidth > 0 ? fmt::format(", {:.1f} GB/s)", use.bandwidth) : ")";
  }
  const std::int64_t taken =
      result.transports[0].device_bytes.value_or(0) + result.transports[1].device_bytes.value_or(0);
  if (taken > 0) text += fmt::format("; {} of a device's memory", bytes_text(taken));
  return text.empty() ? text : text + "\n";
}

/// Work of the host's cores on the tail update.
std::string host_share_text(const RunResult& result) {
  if (!result.host_work) return {};
  const HostWork& work = *result.host_work;
  return fmt::format(
      "# host share: {} of the tail update, {} (first {}, last {}; host and device ended {} of a "
      "step apart{})\n",
      percent_text(work.share()), rate_text(work.gflops()), percent_text(work.first_share),
      percent_text(work.last_share), percent_text(work.imbalance()),
      work.given_up == 0 ? ""
                         : fmt::format("; given up on {}: steps without the host were no slower",
                                       count_text(work.given_up, "rank")));
}

std::string solution_text(const RunResult& result) {
  if (!result.solution_hash || result.differs_from) return {};
  return fmt::format("# solution hash: {}\n", hash_text(*result.solution_hash));
}

std::string difference_text(const RunResult& result) {
  if (!result.solution_hash || !result.differs_from) return {};
  return fmt::format("# solution hash: {}, not {} as in the first repetition\n",
                     hash_text(*result.solution_hash), hash_text(*result.differs_from));
}

/// "before"; "before run 1" below another run.
std::string moment_text(const RateSource& source, int run_index) {
  const char* const when = source.moment == RateSource::Moment::Before ? "before" : "after";
  return source.run_index == run_index ? when
                                       : fmt::format("{} run {}", when, source.run_index + 1);
}

/// The rate that the run is compared with, and all rates of products that were seen.
std::string attainable_text(const RunResult& result) {
  if (!result.attainable_gflops || !(*result.attainable_gflops > 0) || result.stopped) return {};
  const double attainable = *result.attainable_gflops;
  std::string text = fmt::format("# attainable: {} of {}", percent_text(result.gflops / attainable),
                                 rate_text(attainable));
  const auto rate_of = [&](const SeenRate& seen) {
    return significant(seen.gflops / rate_unit(attainable).gflops);
  };
  std::string alone, others;
  for (const auto moment : {RateSource::Moment::Before, RateSource::Moment::After})
    for (const SeenRate& seen : result.attainable_rates)
      if (seen.source.moment == moment)
        alone += fmt::format("{}{} {}", alone.empty() ? "products alone: " : ", ", rate_of(seen),
                             moment_text(seen.source, result.run_index));
  for (const SeenRate& seen : result.attainable_rates)
    if (!seen.source.alone())
      others += fmt::format("; {} {}", to_string(seen.source), rate_of(seen));
  if (alone.empty() && others.empty()) return text + "\n";
  return text + fmt::format(" ({})\n", alone.empty() ? others.substr(2) : alone + others);
}

/// E = Rmax / Rpeak.
std::string peak_text(const RunResult& result) {
  const auto share = efficiency_of_peak(result);
  if (!share) return {};
  return fmt::format("# Rpeak: {} of {}: {}\n", percent_text(*share),
                     rate_text(result.peak->gflops), one_line(result.peak->source));
}

std::string variant_text(const RunResult& result) {
  return fmt::format("# variant: {}\n", one_line(describe_variant(result.spec)));
}

/// Properties without which a rate or a verdict would be misread.
std::string label_text(const RunResult& result) {
  const RunSpec& spec = result.spec;
  std::string text;
  if (const std::string label = mode_label(spec); !label.empty())
    text += fmt::format("# arithmetic: {}\n", label);
  if (spec.matrix != RunSpec().matrix)
    text += fmt::format("# matrix: --matrix {}\n", name_of(kMatrixRequests, spec.matrix));
  if (spec.threshold > RunSpec().threshold)
    text += fmt::format("# threshold: {:g}, above netlib's {:g}\n", spec.threshold,
                        RunSpec().threshold);
  return text;
}

/// The two parts of a run of HPL-MxP.
std::string refinement_text(const RunResult& result) {
  if (!result.refinement) return {};
  const RunSpec& spec = result.spec;
  const Refinement& refinement = *result.refinement;
  std::string text =
      fmt::format("# LU alone: {} in {:.3f} s; refinement: {:.3f} s, {}\n",
                  rate_text(refinement.factorization_gflops, 4), refinement.factorization_seconds,
                  refinement.refinement_seconds,
                  count_text(static_cast<std::size_t>(refinement.iterations), "iteration"));
  if (!refinement.history.empty())
    text += fmt::format("# scaled residual: {:.2e} by the factors", refinement.history.front());
  for (std::size_t i = 1; i < refinement.history.size(); ++i)
    text += fmt::format(", {:.2e}", refinement.history[i]);
  if (!refinement.history.empty()) text += "\n";
  if (!spec.mixed) return text;
  const double bytes = static_cast<double>(hpcx::bytes_of(spec.mixed->storage)) *
                       static_cast<double>(spec.order) * static_cast<double>(spec.order) /
                       spec.grid_rows / spec.grid_columns;
  return text + fmt::format("# matrix: {} an entry, {} a rank; stored 2^{} times A\n",
                            count_text(hpcx::bytes_of(spec.mixed->storage), "byte"),
                            bytes_text(static_cast<std::int64_t>(bytes)),
                            refinement.scale_exponent);
}

std::string remark_text(const RunResult& result, std::span<const Remark> remarks) {
  std::string text;
  for (const std::string& reason : disturbances(result))
    text += fmt::format("# remark: the rate is no measure of this machine: {}\n", reason);
  for (const Remark& remark : remarks)
    text += fmt::format("# remark: {}\n", one_line(remark.text));
  return text;
}

}  // namespace

std::string checksum_text(const RunResult& result) {
  std::string text;
  for (const std::string& line : checksum_lines(result))
    text += fmt::format("# checksums: {}\n", one_line(line));
  return text;
}

std::string run_lines(const RunResult& result, std::span<const Remark> remarks, Detail detail) {
  constexpr double kWorthARow = 0.05;
  constexpr double kWorthAnAccount = 0.1;  // seconds
  const bool accounted = result.seconds >= kWorthAnAccount || detail == Detail::Everything;
  StyledText text({.detail = detail});
  text.add(Detail::Everything, variant_text(result))
      .add(Detail::Verdict, label_text(result))
      .add(Detail::Usual, refinement_text(result))
      .add(Detail::Usual, remark_text(result, remarks))
      .add(Detail::Verdict, wrong_rows(result))
      .add(Detail::Verdict, difference_text(result))
      .add(Detail::Usual, solution_text(result))
      .add(Detail::Usual, transport_text(result))
      .add(Detail::Everything, traffic_text(result))
      .add(Detail::Usual, host_share_text(result))
      .add(Detail::Usual, attainable_text(result))
      .add(Detail::Usual, accounted ? peak_text(result) : "")
      .add(Detail::Usual, rank_text(result));
  if (accounted)
    text.add(Detail::Usual,
             text_of_rows(account_table(result, detail == Detail::Everything ? 0 : kWorthARow)))
        .add(Detail::Everything, text_of_rows(phase_table(result)));
  text.add(Detail::Usual, expectation_text(result))
      .add(Detail::Usual, device_text(result))
      .add(Detail::Everything, events_text(result))
      .add(Detail::Usual, power_lines(result))
      .add(Detail::Verdict, checksum_text(result));
  return text.text();
}

}  // namespace hpl
