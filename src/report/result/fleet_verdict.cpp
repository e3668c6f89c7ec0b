#include "hpl/report/result/fleet_verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "fleet_comparison.h"
#include "fleet_hosts.h"
#include "fleet_rounds.h"
#include "hpl/base/number/statistics.h"
#include "hpl/machine/check/finding.h"

namespace hpl {
namespace {

/// A figure and the units of one kind that have it.
struct FigureValues {
  std::vector<double> values;
  std::vector<const FleetUnit*> units;
};

class Judge {
 public:
  explicit Judge(FleetReport& report) : report_(report) {}

  void run() {
    report_.kinds.clear();
    report_.remarks.clear();
    for (FleetUnit& unit : report_.units) {
      unit.findings.clear();
      unit.figures = figures_of(unit);
    }
    judge_rounds(report_);
    compare_kinds();
    judge_devices();
    for (FleetUnit& unit : report_.units)
      unit.verdict = verdict_of(unit);
    judge_hosts(report_);
    report_.differences = differences_of(report_.hosts, report_.units);
  }

 private:
  FleetVerdict verdict_of(const FleetUnit& unit) const {
    if (unit.rounds.empty()) return FleetVerdict::NotRun;
    if (has_fault(unit.findings)) return FleetVerdict::Failed;
    const bool checked = std::ranges::all_of(unit.rounds, [&](const FleetRound& round) {
      return status_of(round, report_.spec) == RunStatus::Passed;
    });
    return checked ? FleetVerdict::Passed : FleetVerdict::Unchecked;
  }

  void compare_kinds() {
    std::vector<std::string> kinds;
    for (const FleetUnit& unit : report_.units)
      if (std::ranges::find(kinds, unit.kind) == kinds.end()) kinds.push_back(unit.kind);
    for (const std::string& name : kinds)
      report_.kinds.push_back(compare(name));
    if (kinds.size() > 1)
      report_.remarks.push_back(fmt::format(
          "{} kinds of hardware: units are compared within their kind only", kinds.size()));
  }

  FleetKind compare(const std::string& name) {
    std::vector<FleetUnit*> units;
    for (FleetUnit& unit : report_.units)
      if (unit.kind == name && !unit.rounds.empty()) units.push_back(&unit);
    FleetKind kind{.kind = name, .units = static_cast<int>(units.size())};
    const FleetKind* const before = reference_kind(name);
    if (report_.reference && before == nullptr)
      report_.remarks.push_back(
          fmt::format("the reference {} does not know {}: such units were not compared with it",
                      report_.reference->source, name));
    for (int number = 0; number < kFleetFigureCount; ++number) {
      const auto figure = static_cast<FleetFigure>(number);
      FigureValues found;
      for (const FleetUnit* const unit : units)
        if (const auto& value = unit->figures[figure]; value && std::isfinite(*value)) {
          found.values.push_back(*value);
          found.units.push_back(unit);
        }
      if (found.values.empty()) continue;
      kind.figures.push_back(statistics(figure, found));
      judge_against_fleet(units, found.units, kind);
      if (before != nullptr) judge_against_reference(units, *before, figure);
    }
    kind.remark = remark_on(kind);
    return kind;
  }

  static FigureStatistics statistics(FleetFigure figure, const FigureValues& found) {
    const auto [least, most] = std::ranges::minmax_element(found.values);
    const auto worst = info(figure).better == Better::Higher ? least : most;
    const double middle = median(found.values);
    return {
        .figure = figure,
        .count = static_cast<int>(found.values.size()),
        .minimum = *least,
        .median = middle,
        .maximum = *most,
        .spread = robust_spread(found.values, middle),
        .threshold = {},
        .worst_unit = found.units[static_cast<std::size_t>(worst - found.values.begin())]->name};
  }

  /// The rate of the kind, whose statistics come first.
  static double usual_rate(const FleetKind& kind) {
    const bool first = !kind.figures.empty() && kind.figures.front().figure == FleetFigure::Gflops;
    return first ? kind.figures.front().median : 0;
  }

  /// By the newest statistics of the kind.
  void judge_against_fleet(const std::vector<FleetUnit*>& units,
                           const std::vector<const FleetUnit*>& peers, FleetKind& kind) {
    FigureStatistics& of = kind.figures.back();
    const FleetFigureInfo& about = info(of.figure);
    if (of.count < kFewestPeers || !is_judged(about)) return;
    const Allowance allowed =
        allowance(report_.thresholds, of, usual_rate(kind), report_.spec.order);
    of.threshold = beyond(about, of.median, allowed.distance);
    for (FleetUnit* const unit : units) {
      const auto& value = unit->figures[of.figure];
      if (!value || !is_worse(about, *value, *of.threshold)) continue;
      std::string text =
          comparison(about, *value, of.median, fmt::format("the median of {} units", of.count),
                     *of.threshold, allowed.reason);
      if (of.figure == FleetFigure::Gflops) text += slow_phase(*unit, peers);
      if (of.figure == FleetFigure::Throttled) text += throttle_text(*unit);
      unit->findings.push_back(
          {.severity = about.fails ? FleetSeverity::Fault : FleetSeverity::Remark,
           .basis = FleetBasis::Fleet,
           .figure = of.figure,
           .value = value,
           .expected = of.median,
           .threshold = of.threshold,
           .text = std::move(text)});
    }
  }

  const FleetKind* reference_kind(const std::string& name) const {
    if (!report_.reference) return nullptr;
    const auto found = std::ranges::find(report_.reference->kinds, name, &FleetKind::kind);
    return found == report_.reference->kinds.end() ? nullptr : &*found;
  }

  void judge_against_reference(const std::vector<FleetUnit*>& units, const FleetKind& before,
                               FleetFigure figure) {
    const auto of = std::ranges::find(before.figures, figure, &FigureStatistics::figure);
    const FleetFigureInfo& about = info(figure);
    if (of == before.figures.end() || !is_judged(about)) return;
    const Allowance allowed =
        allowance(report_.thresholds, *of, usual_rate(before), report_.spec.order);
    const double threshold = beyond(about, of->median, allowed.distance);
    for (FleetUnit* const unit : units) {
      const auto& value = unit->figures[figure];
      if (!value || !is_worse(about, *value, threshold)) continue;
      unit->findings.push_back(
          {.severity = about.fails ? FleetSeverity::Fault : FleetSeverity::Remark,
           .basis = FleetBasis::Reference,
           .figure = figure,
           .value = value,
           .expected = of->median,
           .threshold = threshold,
           .text =
               comparison(about, *value, of->median,
                          fmt::format("the median of the reference {}", report_.reference->source),
                          threshold, allowed.reason)});
    }
  }

  std::string remark_on(const FleetKind& kind) const {
    if (kind.figures.empty() || kind.figures.front().figure != FleetFigure::Gflops) return {};
    const FigureStatistics& rates = kind.figures.front();
    if (rates.count == 1)
      return "one unit has no distribution: residual, device, gates and reference judge it";
    if (rates.count < kFewestPeers)
      return fmt::format(
          "two units cannot tell which of them is the odd one: residual, device, gates and "
          "reference judge them; their rates are {:.1f} % apart",
          100 * (rates.maximum - rates.minimum) / rates.median);
    const double percent = 100 * rates.spread / rates.median;
    if (percent > report_.thresholds.tolerance)
      return fmt::format(
          "the rates scatter by {:.1f} % (robust spread), more than the tolerance of {:g} %: a "
          "gate "
          "or a reference says more than this distribution",
          percent, report_.thresholds.tolerance);
    return {};
  }

  void judge_devices() {
    for (FleetUnit& unit : report_.units) {
      for (const FleetDevice& device : unit.devices) {
        RankRecord record{.rank = device.rank, .health = device.health};
        for (const Finding& found : find_faults({&record, 1}))
          unit.findings.push_back({.severity = found.kind == FindingKind::Fault
                                                   ? FleetSeverity::Fault
                                                   : FleetSeverity::Remark,
                                   .basis = FleetBasis::Device,
                                   .text = device_text(unit, device.rank, found.what)});
      }
      for (const FleetRound& round : unit.rounds)
        for (const DeviceRound& device : round.devices)
          if (device.uncorrected_errors.value_or(0) > 0)
            unit.findings.push_back(
                {.basis = FleetBasis::Device,
                 .value = static_cast<double>(*device.uncorrected_errors),
                 .expected = 0,
                 .threshold = 0,
                 .text = device_text(
                     unit, device.rank,
                     fmt::format("round {}: {} memory error(s) that ECC could not correct",
                                 round.round + 1, *device.uncorrected_errors))});
    }
    tell_what_all_have();
  }

  static std::string device_text(const FleetUnit& unit, int rank, const std::string& what) {
    if (unit.devices.size() < 2) return what;
    const auto device = std::ranges::find(unit.devices, rank, &FleetDevice::rank);
    if (device == unit.devices.end()) return what;
    return fmt::format("{} {} on {}: {}", device->backend, device->index, device->host, what);
  }

  /// What every unit of a kind has is normal there, and told once.
  void tell_what_all_have() {
    for (const FleetKind& kind : report_.kinds) {
      if (kind.units < 2) continue;
      std::map<std::string, int> counts;
      for (const FleetUnit& unit : report_.units)
        if (unit.kind == kind.kind)
          for (const FleetFinding& finding : unit.findings)
            if (is_device_remark(finding)) ++counts[finding.text];
      for (const auto& [text, count] : counts) {
        if (count < kind.units) continue;
        report_.remarks.push_back(fmt::format("all {} of {}: {}", kind.units, kind.kind, text));
        for (FleetUnit& unit : report_.units)
          if (unit.kind == kind.kind)
            std::erase_if(unit.findings, [&](const FleetFinding& finding) {
              return is_device_remark(finding) && finding.text == text;
            });
      }
    }
  }

  static bool is_device_remark(const FleetFinding& finding) {
    return finding.basis == FleetBasis::Device && finding.severity == FleetSeverity::Remark;
  }

  FleetReport& report_;
};

}  // namespace

void judge_fleet(FleetReport& report) {
  Judge(report).run();
}

std::optional<std::string> reference_mismatch(const FleetReference& reference,
                                              const FleetReport& report) {
  if (reference.each != report.each)
    return fmt::format("{} is of --each {}, this is --each {}", reference.source,
                       name_of(kFleetUnitKinds, reference.each),
                       name_of(kFleetUnitKinds, report.each));
  if (const auto difference = run_difference(reference.spec, report.spec))
    return fmt::format("{} is of another run: {} there, {} here", reference.source, difference->one,
                       difference->other);
  for (const FleetUnit& unit : report.units) {
    if (std::ranges::find(reference.kinds, unit.kind, &FleetKind::kind) != reference.kinds.end())
      continue;
    std::string known;
    for (const FleetKind& kind : reference.kinds)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.kind);
    return fmt::format("{} is of other hardware: {} there, {} here ({})", reference.source,
                       known.empty() ? "none" : known, unit.kind, unit.name);
  }
  return std::nullopt;
}

ExitCode exit_code_of(const FleetReport& report) {
  const auto passed = [](const auto& one) { return one.verdict == FleetVerdict::Passed; };
  const bool all = !report.units.empty() && std::ranges::all_of(report.units, passed) &&
                   std::ranges::all_of(report.hosts, passed);
  return all ? ExitCode::Passed : ExitCode::Failed;
}

}  // namespace hpl
