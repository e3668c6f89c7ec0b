#include "figure_change.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "hpl/base/number/statistics.h"
#include "hpl/fleet/judge/fleet_verdict.h"

namespace hpl {
namespace {

/// Standard errors that a change has to exceed.
constexpr double kCertainErrors = 3;
/// Standard error of the median of many normal values over that of their mean: sqrt(pi / 2).
constexpr double kMedianOverMean = 1.2533;

double error_of_median(double deviation, std::size_t count) {
  const double of_mean = deviation / std::sqrt(static_cast<double>(count));
  return count < kFewestPeers ? of_mean : kMedianOverMean * of_mean;
}

/// The figures of each run by itself.
std::vector<Figures> figures_by_run(const FleetMember& member) {
  std::vector<Figures> all;
  FleetMember alone;
  for (const RunResult* const run : measuring_runs(member)) {
    if (!has_rate(*run)) continue;
    alone.runs = {*run};
    all.push_back(figures_of(alone));
  }
  return all;
}

std::vector<double> values_of(std::span<const Figures> all, Figure figure) {
  std::vector<double> values;
  for (const Figures& figures : all)
    if (figures[figure]) values.push_back(*figures[figure]);
  return values;
}

ChangeVerdict verdict_of(const FigureChange& change, Better better) {
  if (std::abs(change.change) <= change.noise) return ChangeVerdict::Noise;
  if (better != Better::Higher && better != Better::Lower) return ChangeVerdict::Changed;
  return (change.to > change.from) == (better == Better::Higher) ? ChangeVerdict::Better
                                                                 : ChangeVerdict::Worse;
}

/// A change whose noise is not set yet. Empty where a side lacks the figure, or has no percent.
std::optional<FigureChange> change_of(Figure figure, const Figures& first, const Figures& last) {
  if (!first[figure] || !last[figure]) return std::nullopt;
  FigureChange change{.figure = figure, .from = *first[figure], .to = *last[figure]};
  const bool percent = !info(figure).points;
  if (percent && !(change.from > 0)) return std::nullopt;
  change.change = change.to - change.from;
  if (percent) change.change *= 100 / change.from;
  return change;
}

/// The noise from standard errors or floors, all in the unit of the figure.
void set_noise(FigureChange& change, std::optional<double> error, double usual_gflops,
               std::int64_t order, double tolerance) {
  const FigureInfo& about = info(change.figure);
  change.repeated = error.has_value();
  const double floor = error ? about.noise : noise_floor(change.figure, usual_gflops, order);
  change.noise = std::max(
      {floor, kCertainErrors * error.value_or(0), tolerance * about.slack * std::abs(change.from)});
  if (!about.points) change.noise *= 100 / change.from;
  change.verdict = verdict_of(change, about.better);
}

std::optional<double> joint_error(const MeasuredPoint& first, const MeasuredPoint& last,
                                  Figure figure) {
  const auto &one = first.certainty.errors[figure], &other = last.certainty.errors[figure];
  if (!one || !other) return std::nullopt;
  return std::hypot(*one, *other);
}

/// The error of a median of values, each of which has an error.
std::optional<double> error_of_values(const std::vector<double>& values,
                                      const std::vector<double>& errors) {
  if (values.empty() || (values.size() < kFewestPeers && errors.size() < values.size()))
    return std::nullopt;
  const double scatter = values.size() < kFewestPeers ? 0 : robust_spread(values, median(values));
  return error_of_median(std::max(scatter, errors.empty() ? 0 : median(errors)), values.size());
}

}  // namespace

std::vector<Certainty> certainties_of(std::span<const FleetMember> members) {
  std::vector<Certainty> all(members.size());
  std::map<std::pair<std::string, Figure>, std::vector<double>> of_kind;  // deviations
  std::vector<Figures> own(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::vector<Figures> runs = figures_by_run(members[i]);
    all[i].runs = static_cast<int>(runs.size());
    for (const FigureInfo& about : kMemberFigures)
      if (const std::vector<double> values = values_of(runs, about.value); values.size() > 1) {
        own[i][about.value] = std::sqrt(variance(values));
        of_kind[{members[i].kind, about.value}].push_back(*own[i][about.value]);
      }
  }
  for (std::size_t i = 0; i < members.size(); ++i)
    for (const FigureInfo& about : kMemberFigures) {
      const auto usual = of_kind.find({members[i].kind, about.value});
      if (all[i].runs == 0 || usual == of_kind.end()) continue;
      const double deviation = std::max(own[i][about.value].value_or(0), median(usual->second));
      all[i].errors[about.value] =
          error_of_median(deviation, static_cast<std::size_t>(all[i].runs));
    }
  return all;
}

std::vector<FigureChange> changes_between(const MeasuredPoint& first, const MeasuredPoint& last,
                                          std::int64_t order) {
  std::vector<FigureChange> changes;
  const double usual = first.point.figures[Figure::Gflops].value_or(0);
  for (const FigureInfo& about : kAllFigures) {
    auto change = change_of(about.value, first.point.figures, last.point.figures);
    if (!change) continue;
    set_noise(*change, joint_error(first, last, about.value), usual, order,
              std::max(first.certainty.tolerance, last.certainty.tolerance));
    if (first.disturbed || last.disturbed) {
      change->noise = std::max(change->noise, std::abs(change->change));
      change->verdict = ChangeVerdict::Noise;
    }
    if (first.log || last.log) change->verdict = ChangeVerdict::Changed;
    changes.push_back(*change);
  }
  return changes;
}

std::vector<FigureChange> median_changes(std::span<const MeasuredPoint> firsts,
                                         std::span<const MeasuredPoint> lasts, std::int64_t order) {
  const MeasuredPoint first = median_of(firsts), last = median_of(lasts);
  std::vector<FigureChange> changes = changes_between(first, last, order);
  for (FigureChange& change : changes) {
    std::vector<double> differences, errors;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const auto &from = firsts[i].point.figures[change.figure],
                 &to = lasts[i].point.figures[change.figure];
      if (!from || !to) continue;
      differences.push_back(*to - *from);
      if (const auto error = joint_error(firsts[i], lasts[i], change.figure))
        errors.push_back(*error);
    }
    set_noise(change, error_of_values(differences, errors),
              first.point.figures[Figure::Gflops].value_or(0), order,
              std::max(first.certainty.tolerance, last.certainty.tolerance));
    if (first.log || last.log) change.verdict = ChangeVerdict::Changed;
  }
  return changes;
}

MeasuredPoint median_of(std::span<const MeasuredPoint> points) {
  MeasuredPoint middle;
  middle.point.members = static_cast<int>(points.size());
  for (const MeasuredPoint& one : points) {
    middle.point.side = one.point.side;
    middle.point.runs += one.point.runs;
    middle.point.wrong = middle.point.wrong || one.point.wrong;
    middle.log = middle.log || one.log;
    middle.certainty.tolerance = std::max(middle.certainty.tolerance, one.certainty.tolerance);
  }
  for (const FigureInfo& about : kAllFigures) {
    std::vector<double> values, errors;
    for (const MeasuredPoint& one : points) {
      if (one.point.figures[about.value]) values.push_back(*one.point.figures[about.value]);
      if (one.certainty.errors[about.value]) errors.push_back(*one.certainty.errors[about.value]);
    }
    if (values.empty()) continue;
    middle.point.figures[about.value] = median(values);
    middle.certainty.errors[about.value] = error_of_values(values, errors);
  }
  return middle;
}

}  // namespace hpl
