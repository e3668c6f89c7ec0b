#include "hpl/report/result/fleet_power.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/power/power_log.h"
#include "hpl/base/text/host_list.h"
#include "hpl/report/result/fleet_report.h"

namespace hpl {
namespace {

/// Seconds since 1970.
struct Interval {
  double from = 0, to = 0;
};

/// What a meter sees of the runs: when any went on, and their operations.
struct Work {
  std::vector<Interval> intervals;  ///< ascending, none overlaps another
  double gigaflops = 0;
  double seconds = 0;
};

/// Runs of the units of a host; of all where `host` is empty. A pair shares its operations.
Work work_of(const FleetReport& fleet, const std::string& host) {
  Work work;
  std::vector<Interval> all;
  for (const FleetUnit& unit : fleet.units) {
    const bool sees = host.empty() || std::ranges::find(unit.hosts, host) != unit.hosts.end();
    if (!sees) continue;
    const double share = host.empty() ? 1 : 1 / static_cast<double>(unit.hosts.size());
    for (const FleetRound& round : unit.rounds) {
      if (!(round.started.seconds > 0 && round.seconds > 0)) continue;
      all.push_back({round.started.seconds, round.started.seconds + round.seconds});
      work.gigaflops += share * benchmark_flops(fleet.spec.order) / 1e9;
    }
  }
  std::ranges::sort(all, {}, &Interval::from);
  for (const Interval& one : all) {
    if (!work.intervals.empty() && one.from <= work.intervals.back().to)
      work.intervals.back().to = std::max(work.intervals.back().to, one.to);
    else
      work.intervals.push_back(one);
  }
  for (const Interval& one : work.intervals)
    work.seconds += one.to - one.from;
  return work;
}

/// The samples of an interval and their neighbours: a log of a day is long.
std::span<const PowerSample> around(std::span<const PowerSample> samples, const Interval& of) {
  auto first = std::ranges::lower_bound(samples, of.from, {}, &PowerSample::seconds);
  auto last = std::ranges::upper_bound(samples, of.to, {}, &PowerSample::seconds);
  if (first != samples.begin()) --first;
  if (last != samples.end()) ++last;
  return {first, last};
}

/// Empty where the log reaches no run.
std::optional<FleetMeter> meter_of(const Work& work, std::span<const PowerSample> samples) {
  FleetMeter meter{.core_seconds = work.seconds};
  double covered = 0, watts = 0;
  int seen = 0;
  for (const Interval& one : work.intervals) {
    const double length = one.to - one.from;
    const auto averages = power_averages(around(samples, one), one.from, one.to);
    if (!averages) {
      meter.longest_gap = std::max(meter.longest_gap, length);
      continue;
    }
    ++seen;
    watts += averages->watts;
    meter.joules += averages->joules;
    covered += averages->covered * length;
    meter.samples += averages->samples;
    meter.longest_gap = std::max(meter.longest_gap, averages->longest_gap);
  }
  if (seen == 0) return std::nullopt;
  meter.covered = covered / work.seconds;
  // Single readings have no length in time.
  meter.watts = covered > 0 ? meter.joules / covered : watts / seen;
  if (meter.watts > 0) meter.gflops_per_watt = work.gigaflops / (meter.watts * work.seconds);
  return meter;
}

/// Sum of the columns at the times at which all of them are known: on straight lines between
/// readings.
PowerSeries sum_of(const std::vector<PowerSeries>& columns) {
  if (columns.size() == 1) return columns.front();
  double from = 0, to = 1e18;
  const PowerSeries* finest = nullptr;
  for (const PowerSeries& column : columns) {
    if (column.empty()) continue;
    from = std::max(from, column.front().seconds);
    to = std::min(to, column.back().seconds);
    if (finest == nullptr || column.size() > finest->size()) finest = &column;
  }
  PowerSeries sum;
  if (finest == nullptr) return sum;
  for (const PowerSample& sample : *finest)
    if (sample.seconds >= from && sample.seconds <= to) sum.push_back({sample.seconds, 0});
  for (const PowerSeries& column : columns) {
    auto next = column.begin();
    for (PowerSample& at : sum) {
      while (next != column.end() && next->seconds < at.seconds)
        ++next;
      if (next == column.end()) break;
      if (next->seconds == at.seconds || next == column.begin()) {
        at.watts += next->watts;
        continue;
      }
      const PowerSample& before = *(next - 1);
      at.watts += before.watts + (next->watts - before.watts) * (at.seconds - before.seconds) /
                                     (next->seconds - before.seconds);
    }
  }
  return sum;
}

/// That of the run that reaches least: each is a core phase.
void set_level(FleetPower& power, const Work& work, std::span<const PowerSample> samples,
               std::size_t nodes) {
  bool first = true;
  for (const Interval& one : work.intervals) {
    const auto averages = power_averages(around(samples, one), one.from, one.to);
    const auto aspects = power_aspects({.averages = averages.value_or(PowerAverages{}),
                                        .core_seconds = one.to - one.from,
                                        .scope = power.scope,
                                        .nodes = static_cast<std::int64_t>(nodes)});
    const int level = power_level(aspects);
    if (!first && level >= power.level) continue;
    first = false;
    power.level = level;
    power.missing.clear();
    for (const PowerAspect& aspect : aspects)
      if (aspect.level == level && !aspect.missing.empty())
        power.missing.push_back(fmt::format("{}: {}", aspect.name, aspect.missing));
  }
}

std::string without_domain(const std::string& host) {
  return host.substr(0, host.find('.'));
}

/// Which column is which host's; a host may have its domain in one place and not in the other.
class Columns {
 public:
  explicit Columns(const FleetReport& fleet) {
    for (const FleetHost& host : fleet.hosts) {
      names_.emplace(host.name, host.name);
      names_.emplace(without_domain(host.name), host.name);
    }
  }

  std::vector<std::size_t> choose(const std::vector<std::string>& head) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < head.size(); ++i) {
      auto host = names_.find(head[i]);
      if (host == names_.end()) host = names_.find(without_domain(head[i]));
      if (host == names_.end()) continue;
      chosen.push_back(i);
      hosts_.push_back(host->second);
    }
    if (!chosen.empty()) return chosen;
    if (head.size() > 1)
      remark_ = fmt::format(
          "no column is named as a host of the fleet: the first, {}, counts for "
          "all of it",
          head.front().empty() ? "without a name" : head.front());
    return {0};
  }

  /// Of the columns chosen; empty: the one column is of all.
  const std::vector<std::string>& hosts() const { return hosts_; }
  const std::string& remark() const { return remark_; }

 private:
  std::map<std::string, std::string> names_;
  std::vector<std::string> hosts_;
  std::string remark_;
};

/// Hosts that made runs.
std::vector<std::string> busy_hosts(const FleetReport& fleet) {
  std::vector<std::string> hosts;
  for (const FleetUnit& unit : fleet.units)
    if (!unit.rounds.empty()) hosts.insert(hosts.end(), unit.hosts.begin(), unit.hosts.end());
  std::ranges::sort(hosts);
  const auto rest = std::ranges::unique(hosts);
  hosts.erase(rest.begin(), rest.end());
  return hosts;
}

void tell_coverage(FleetPower& power) {
  // A second at either end of a run is no loss: readings come once a second.
  std::vector<std::string> partly;
  for (const FleetMeter& meter : power.meters) {
    if ((1 - meter.covered) * meter.core_seconds <= 1 + 0.01 * meter.core_seconds) continue;
    if (!meter.host.empty())
      partly.push_back(meter.host);
    else
      power.remarks.push_back(fmt::format(
          "readings cover {:.1f} of {:.1f} s of the runs; average and energy are of that part",
          meter.covered * meter.core_seconds, meter.core_seconds));
  }
  if (!partly.empty())
    power.remarks.push_back(
        fmt::format("readings cover the runs of {} in part only", host_list(std::move(partly))));
}

}  // namespace

bool add_power_log(FleetReport& fleet, const PowerLogFile& log) {
  Columns columns(fleet);
  const PowerTable table =
      parse_power_table(log.name, log.text, log.offset,
                        [&](const std::vector<std::string>& head) { return columns.choose(head); });
  FleetPower power{.source = log.name,
                   .scope = log.scope,
                   .meters = {},
                   .level = 0,
                   .missing = {},
                   .remarks = table.complaints};
  if (!columns.remark().empty()) power.remarks.push_back(columns.remark());

  // What the log does not see must not count as work done without power.
  FleetReport seen = fleet;
  if (!columns.hosts().empty()) {
    std::vector<std::string> unseen;
    for (const std::string& host : busy_hosts(fleet))
      if (std::ranges::find(columns.hosts(), host) == columns.hosts().end()) unseen.push_back(host);
    const auto is_unseen = [&](const FleetUnit& unit) {
      return std::ranges::any_of(unit.hosts, [&](const std::string& host) {
        return std::ranges::find(unseen, host) != unseen.end();
      });
    };
    std::erase_if(seen.units, is_unseen);
    if (!unseen.empty())
      power.remarks.push_back(fmt::format("the log has no column of {}: the whole is of the others",
                                          host_list(unseen)));
  }
  const PowerSeries sum = sum_of(table.columns);
  const Work all = work_of(seen, "");
  if (auto whole = meter_of(all, sum)) {
    power.meters.push_back(*std::move(whole));
    set_level(power, all, sum,
              columns.hosts().empty() ? busy_hosts(fleet).size() : columns.hosts().size());
  }
  for (std::size_t i = 0; i < columns.hosts().size(); ++i)
    if (auto meter = meter_of(work_of(fleet, columns.hosts()[i]), table.columns[i])) {
      meter->host = columns.hosts()[i];
      power.meters.push_back(*std::move(meter));
    }
  if (power.meters.empty()) return false;
  tell_coverage(power);
  fleet.power = std::move(power);
  return true;
}

}  // namespace hpl
