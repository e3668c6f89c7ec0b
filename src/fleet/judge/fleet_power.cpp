#include "hpl/fleet/judge/fleet_power.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/power/power_log.h"
#include "hpl/base/record/record.h"
#include "hpl/base/record/text_forms.h"
#include "hpl/base/text/host_list.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {
namespace {

/// Seconds since 1970.
struct Interval {
  double from = 0, to = 0;
};

/// The runs as a meter sees them: the times at which any went on, and their operations.
struct Work {
  std::vector<Interval> intervals;  ///< ascending, none overlaps another
  double gigaflops = 0;
  double seconds = 0;
};

/// The share of a member's operations that counts.
using Share = std::function<double(const FleetMember& member)>;

Work work_of(const FleetReport& fleet, const Share& share_of) {
  Work work;
  std::vector<Interval> all;
  for (const FleetMember& member : fleet.members) {
    const double share = share_of(member);
    if (!(share > 0)) continue;
    for (const RunResult& run : member.runs) {
      const double begin = begin_of(run);
      if (!(begin > 0 && run.seconds > 0)) continue;
      all.push_back({begin, begin + run.seconds});
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

/// Sum of the columns, none of which is empty, at the times at which all of them are known: on
/// straight lines between readings.
PowerSeries sum_of(const std::vector<const PowerSeries*>& columns) {
  double from = 0, to = std::numeric_limits<double>::max();
  const PowerSeries* finest = columns.front();
  for (const PowerSeries* const column : columns) {
    from = std::max(from, column->front().seconds);
    to = std::min(to, column->back().seconds);
    if (column->size() > finest->size()) finest = column;
  }
  PowerSeries sum;
  for (const PowerSample& sample : *finest)
    if (sample.seconds >= from && sample.seconds <= to) sum.push_back({sample.seconds, 0});
  for (const PowerSeries* const column : columns) {
    auto next = column->begin();
    for (PowerSample& at : sum) {
      while (next != column->end() && next->seconds < at.seconds)
        ++next;
      if (next == column->end()) break;
      if (next->seconds == at.seconds || next == column->begin()) {
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

/// The column of each host. A host may have its domain in one place and not in the other.
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
          "no column is named as a host of the fleet: the first, {}, counts for all of it",
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
std::set<std::string> busy_hosts(const FleetReport& fleet) {
  std::set<std::string> hosts;
  for (const FleetMember& member : fleet.members)
    if (!member.runs.empty()) hosts.insert(member.hosts.begin(), member.hosts.end());
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
      power.remarks.push_back(warning(
          "readings",
          "readings cover {:.1f} of {:.1f} s of the runs; average and energy are of that part",
          meter.covered * meter.core_seconds, meter.core_seconds));
  }
  if (!partly.empty())
    power.remarks.push_back(warning("readings", "readings cover the runs of {} in part only",
                                    host_list(std::move(partly))));
}

const TextForm<PowerScope> kScopeForm{
    [](const PowerScope& scope) { return to_string(scope); },
    [](std::string_view text) { return std::optional(parse_power_scope("scope", text)); },
    "the words of --power-scope"};

}  // namespace

void describe(Record& record, FleetMeter& meter) {
  record("host", meter.host, kTextOrNull, "null: all of the fleet that the log sees.");
  record("core_seconds", meter.core_seconds,
         "Timed parts of the runs; what went on at the same time counts once.");
  record("average_watts", meter.watts, "Over the part of the runs that the log covers.");
  record("energy_joules", meter.joules, "Within that part.");
  record("covered", meter.covered, "That part as a share of core_seconds, 0 to 1.");
  record("samples", meter.samples, {}, kCount);
  record("longest_gap_seconds", meter.longest_gap);
  record("gflops_per_watt", meter.gflops_per_watt,
         "Operations of the runs over average power and core_seconds.");
}

void describe(Record& record, FleetPower& power) {
  record("source", power.source, "File name of the log.");
  record("scope", power.scope, kScopeForm, "The words of --power-scope; null: nothing is known.");
  record("level", power.level,
         "Of the EE HPC WG's methodology; that of the run that reaches least.",
         {.minimum = 0, .maximum = 3});
  record("missing", power.missing, "For the next level, by aspect.");
  describe_remarks(record, power.remarks, "On the log.");
  record("meters", power.meters, "The whole first, then the hosts that have a column.");
}

bool add_power_log(FleetReport& fleet, const PowerLogFile& log) {
  Columns columns(fleet);
  const PowerTable table =
      parse_power_table(log.name, log.text, log.offset,
                        [&](const std::vector<std::string>& head) { return columns.choose(head); });
  FleetPower power{.source = log.name,
                   .scope = log.scope,
                   .level = 0,
                   .remarks = remarks_about("log", table.complaints)};
  if (!columns.remark().empty()) power.remarks.push_back(warning("columns", columns.remark()));

  // Hosts outside of the log must not count as work done without power, nor a host that made no run
  // as power of the others.
  const std::set<std::string> busy = busy_hosts(fleet);
  std::set<std::string> unseen;
  std::vector<const PowerSeries*> added;
  if (columns.hosts().empty()) {
    added = {&table.columns.front()};
  } else {
    unseen = busy;
    for (std::size_t i = 0; i < columns.hosts().size(); ++i)
      if (!table.columns[i].empty() && unseen.erase(columns.hosts()[i]) > 0)
        added.push_back(&table.columns[i]);
    if (!unseen.empty())
      power.remarks.push_back(warning("readings",
                                      "the log has no reading of {}: the whole is of the others",
                                      host_list({unseen.begin(), unseen.end()})));
  }
  if (added.empty()) return false;
  const PowerSeries sum = sum_of(added);
  const Work all = work_of(fleet, [&](const FleetMember& member) {
    const bool seen = std::ranges::none_of(
        member.hosts, [&](const std::string& host) { return unseen.contains(host); });
    return seen ? 1.0 : 0.0;
  });
  if (auto whole = meter_of(all, sum)) {
    power.meters.push_back(*std::move(whole));
    set_level(power, all, sum, busy.size() - unseen.size());
  }
  for (std::size_t i = 0; i < columns.hosts().size(); ++i) {
    const std::string& host = columns.hosts()[i];
    const Work own = work_of(fleet, [&](const FleetMember& member) {
      const bool has = std::ranges::find(member.hosts, host) != member.hosts.end();
      return has ? 1 / static_cast<double>(member.hosts.size()) : 0.0;
    });
    if (auto meter = meter_of(own, table.columns[i])) {
      meter->host = host;
      power.meters.push_back(*std::move(meter));
    }
  }
  if (power.meters.empty()) return false;
  tell_coverage(power);
  fleet.power = std::move(power);
  return true;
}

}  // namespace hpl
