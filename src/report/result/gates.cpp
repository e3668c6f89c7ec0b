#include "hpl/report/result/gates.h"

#include <limits>
#include <map>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/quantity.h"
#include "hpl/report/result/disturbance.h"

namespace hpl {
namespace {

std::string run_name(const RunResult& run) {
  std::string name = fmt::format("run {}", run.run_index + 1);
  if (run.repeat_index > 0) name += fmt::format(", repetition {}", run.repeat_index + 1);
  return fmt::format("{} ({})", name, size_text(run.spec));
}

/// A value that every run has to reach.
struct LeastGate {
  const char* flag;
  double limit;
  const char* unit;
};

/// Names the run with the least of `value`.
template <class Value>
GateResult judge_least(const LeastGate& gate, std::span<const RunResult> runs, Value value) {
  GateResult result{.gate = gate.flag, .limit = gate.limit};
  const RunResult* worst = nullptr;
  std::size_t missed = 0;
  for (const RunResult& run : runs) {
    const std::optional<double> here = value(run);
    if (!here || !(*here >= gate.limit)) ++missed;
    if (!here) {
      result.reason = fmt::format("nothing was measured for {}", run_name(run));
    } else if (worst == nullptr || *here < *result.worst) {
      worst = &run;
      result.worst = here;
    }
  }
  result.held = missed == 0 && worst != nullptr;
  if (!result.reason.empty()) return result;
  if (worst == nullptr) {
    result.reason = "there was no run";
  } else {
    result.reason = fmt::format("{:.5g} {} in {}", *result.worst, gate.unit, run_name(*worst));
    if (missed > 1) result.reason += fmt::format(", {} of {} runs below", missed, runs.size());
    if (missed > 0)
      for (const std::string& disturbance : disturbances(*worst))
        result.reason += ", no measure of this machine: " + disturbance;
  }
  return result;
}

std::optional<double> efficiency(const RunResult& run) {
  if (!run.attainable_gflops || !(*run.attainable_gflops > 0)) return std::nullopt;
  return 100 * run.gflops / *run.attainable_gflops;
}

GateResult judge_spread(double limit, std::span<const RunResult> runs) {
  GateResult result{.gate = "--max-spread", .limit = limit};
  const auto consider = [&](double spread, const auto& reason) {
    if (result.worst && !(spread > *result.worst)) return;
    result.worst = spread;
    result.reason = reason();
  };
  std::map<int, std::vector<double>> rates;  // by run, of its repetitions
  for (const RunResult& run : runs) {
    rates[run.run_index].push_back(run.gflops);
    if (const auto ranks = rank_extremes(run))
      consider(ranks->spread, [&] {
        return fmt::format("{:.2f} % between the ranks of {}: {} {}, {} {}", ranks->spread,
                           run_name(run), rank_name(run, ranks->slowest),
                           rate_text(ranks->slowest_gflops, 4), rank_name(run, ranks->fastest),
                           rate_text(ranks->fastest_gflops, 4));
      });
    const std::vector<double>& same = rates[run.run_index];
    if (same.size() < 2) continue;
    const double spread = spread_percent(same);
    consider(spread, [&] {
      const auto [least, most] = std::minmax_element(same.begin(), same.end());
      return fmt::format("{:.2f} % between {} repetitions of run {}: from {} to {}", spread,
                         same.size(), run.run_index + 1, rate_text(*least, 4), rate_text(*most, 4));
    });
  }
  result.held = result.worst && *result.worst <= limit;
  if (!result.worst) result.reason = "there was nothing to compare";
  return result;
}

}  // namespace

double spread_percent(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double range = *most - *least;
  if (range == 0) return 0;
  const double middle = median(values);
  return middle > 0 ? 100 * range / middle : std::numeric_limits<double>::infinity();
}

std::optional<RankExtremes> rate_extremes(const std::vector<double>& rank_gflops) {
  std::vector<double> rates;
  RankExtremes extremes;
  for (std::size_t rank = 0; rank < rank_gflops.size(); ++rank) {
    const double rate = rank_gflops[rank];
    if (!(rate > 0)) continue;
    if (rates.empty() || rate < extremes.slowest_gflops) {
      extremes.slowest = static_cast<int>(rank);
      extremes.slowest_gflops = rate;
    }
    if (rates.empty() || rate > extremes.fastest_gflops) {
      extremes.fastest = static_cast<int>(rank);
      extremes.fastest_gflops = rate;
    }
    rates.push_back(rate);
  }
  if (rates.size() < 2) return std::nullopt;
  extremes.spread = spread_percent(rates);
  return extremes;
}

std::optional<RankExtremes> rank_extremes(const RunResult& run) {
  return rate_extremes(run.rank_gflops);
}

std::string rank_name(const RunResult& run, int rank) {
  for (const DeviceTelemetry& device : run.devices)
    if (device.rank == rank && !device.host.empty())
      return fmt::format("rank {} on {}", rank, device.host);
  return fmt::format("rank {}", rank);
}

std::vector<GateResult> judge(const Gates& gates, std::span<const RunResult> runs) {
  std::vector<GateResult> results;
  if (gates.min_gflops)
    results.push_back(
        judge_least({"--min-gflops", *gates.min_gflops, "GFLOP/s"}, runs,
                    [](const RunResult& run) { return std::optional<double>(run.gflops); }));
  if (gates.min_efficiency)
    results.push_back(judge_least(
        {"--min-efficiency", *gates.min_efficiency, "% of the attainable rate"}, runs, efficiency));
  if (gates.min_peak_efficiency)
    results.push_back(
        judge_least({"--min-peak-efficiency", *gates.min_peak_efficiency, "% of Rpeak"}, runs,
                    [](const RunResult& run) -> std::optional<double> {
                      const auto share = efficiency_of_peak(run);
                      return share ? std::optional(100 * *share) : std::nullopt;
                    }));
  if (gates.max_spread) results.push_back(judge_spread(*gates.max_spread, runs));
  return results;
}

void describe(Record& record, GateResult& gate) {
  constexpr auto kFlags =
      one_of("--min-gflops", "--min-efficiency", "--min-peak-efficiency", "--max-spread");
  record("gate", gate.gate, kFlags, "its flag");
  record("limit", gate.limit, "in the unit of the flag", {.finite = true});
  record("worst", gate.worst, "what missed it most, or came closest to missing it");
  record("held", gate.held);
  record("reason", gate.reason, "what was found, where");
}

}  // namespace hpl
