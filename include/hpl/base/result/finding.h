#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hpl/base/choice/choice.h"
#include "hpl/base/result/figure.h"

namespace hpl {

/// The weight of a finding or remark, the worst first.
enum class Severity {
  Fault,    ///< wrong or missing: it fails
  Slow,     ///< a gate was missed, a figure is far out, or two are out: it fails
  Warning,  ///< it passes: one figure is out, or other processes disturbed it
  Remark,   ///< information: the verdict does not depend on it
};
inline constexpr std::array<Choice<Severity>, 4> kSeverities{{{Severity::Fault, "fault"},
                                                              {Severity::Slow, "slow"},
                                                              {Severity::Warning, "warning"},
                                                              {Severity::Remark, "remark"}}};
/// Whether the subject of a finding fails for it.
constexpr bool fails_by(Severity severity) {
  return severity <= Severity::Slow;
}

/// The basis of a finding: a comparison, or somebody's word.
enum class Basis {
  Residual,     ///< a solution or product is wrong, or checksums disagree
  Peers,        ///< the figures of its peers
  Gate,         ///< a limit of the command line
  Reference,    ///< an earlier acceptance
  Expectation,  ///< the interval of a data sheet
  Device,       ///< the report of the device or host itself
  Disturbed,    ///< other processes on the cores that measured
  Count,        ///< devices that a host shows
  Member,       ///< a fault of a member that the host is part of
  Job,          ///< the verdict of the host's own job, in a merged report
};
inline constexpr std::array<Choice<Basis>, 10> kBases{{{Basis::Residual, "residual"},
                                                       {Basis::Peers, "fleet"},
                                                       {Basis::Gate, "gate"},
                                                       {Basis::Reference, "reference"},
                                                       {Basis::Expectation, "expectation"},
                                                       {Basis::Device, "device"},
                                                       {Basis::Disturbed, "disturbed"},
                                                       {Basis::Count, "count"},
                                                       {Basis::Member, "member"},
                                                       {Basis::Job, "job"}}};

/// A sentence on a rank, link, member or host, and what it rests on.
struct Finding {
  Severity severity = Severity::Fault;
  Basis basis = Basis::Peers;
  std::optional<Figure> figure{};
  std::optional<double> value{};      ///< found
  std::optional<double> expected{};   ///< the median of its peers or of the reference
  std::optional<double> threshold{};  ///< the value from which on it is a finding
  std::string text{};                 ///< does not name the subject
  std::optional<Action> action{};     ///< of what the hardware reports; `text` ends with its word
};

inline constexpr std::string_view kActionMeaning =
    "The remedy for what the hardware reports: ISOLATE: take it out of service. RESET: reset the "
    "device before the next job. MONITOR: watch whether it happens again. null of other findings.";

/// The weight of a value whose limit lies on the bad side of what is expected; none within it. A
/// figure fails alone if it is kFarOut times as far from there as its limit.
std::optional<Severity> severity_of(Figure figure, double value, double expected, double limit);
inline constexpr double kFarOut = 2;

/// One figure of a subject that is out is a warning; two are no chance, and fail. The same figure
/// beside several norms counts once. `strict`: one fails as well.
void fail_by_figures(std::span<Finding* const> of_one_subject, bool strict);

}  // namespace hpl
