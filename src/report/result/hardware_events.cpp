#include "hpl/report/result/hardware_events.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/text/quantity.h"
#include "hpl/report/result/device_telemetry.h"

namespace hpl {

void describe(Record& record, hpcx::EventCounts& events) {
  record.type("events", "Errors and retries that the hardware counted.");
  record("counts", events.counts, "by kind; null: not readable", kCount);
  record("driver_errors", events.driver_errors, "their numbers (Xid), in their order");
  record("seconds", events.seconds, "in which they arose", kNotNegative);
}

void describe(Record& record, HostEvents& host) {
  record.type("host_events");
  record("host", host.host);
  record("events", host.events);
}

namespace {

const std::optional<std::int64_t>* count_of(const hpcx::EventCounts& events,
                                            std::string_view name) {
  const auto found =
      std::ranges::find(events.counts, name, [](const auto& one) { return one.first; });
  return found == events.counts.end() ? nullptr : &found->second;
}

Finding finding_of(const FigureInfo& about, Action action, std::int64_t count, double in_order,
                   std::string text) {
  return {.severity = action == Action::Monitor ? Severity::Warning : Severity::Fault,
          .basis = Basis::Device,
          .figure = about.value,
          .value = static_cast<double>(count),
          .expected = 0,
          .threshold = in_order,
          .text = fmt::format("{} ({})", text, name_of(kActions, action)),
          .action = action};
}

struct Subject {
  EventFinding named;  ///< its place
  hpcx::EventCounts events;
};

std::vector<Subject> subjects_of(const RunResult& run) {
  std::vector<Subject> subjects;
  for (const DeviceTelemetry& device : distinct_devices(run.devices)) {
    Subject& made = subjects.emplace_back();
    static_cast<DevicePlace&>(made.named) = {device.host, device.rank, device.backend,
                                             device.device_index};
    made.events = device.sensors.events;
    if (made.events.seconds == 0) made.events.seconds = run.seconds;
    // Earlier documents and other back ends have these elsewhere. Those of a host are the host's.
    if (device.backend == "cpu" && !run.hosts.empty()) continue;
    for (const auto& [figure, count] :
         {std::pair{Figure::UncorrectedMemory, device.sensors.uncorrected_errors},
          std::pair{Figure::CorrectedMemory, device.sensors.corrected_errors}})
      if (const std::string name(info(figure).name); count && !count_of(made.events, name))
        made.events.counts.emplace_back(name, count);
  }
  for (const HostEvents& host : run.hosts) {
    Subject& made = subjects.emplace_back();
    made.named.host = host.host;
    made.events = host.events;
  }
  return subjects;
}

std::string subject_of(const EventFinding& finding) {
  if (finding.backend.empty()) return "host " + finding.host;
  return fmt::format("rank {} on {}, {} {}", finding.rank, finding.host, finding.backend,
                     finding.device_index);
}

}  // namespace

hpcx::EventCounts events_between(const hpcx::EventCounts& before, const hpcx::EventCounts& after,
                                 double seconds) {
  hpcx::EventCounts arisen{.counts = {}, .driver_errors = {}, .seconds = seconds};
  for (const auto& [name, count] : after.counts) {
    const auto* const earlier = count_of(before, name);
    const bool known = count && earlier != nullptr && *earlier;
    arisen.counts.emplace_back(
        name, known ? std::optional(std::max<std::int64_t>(0, *count - **earlier)) : std::nullopt);
  }
  const auto seen = std::min(before.driver_errors.size(), after.driver_errors.size());
  arisen.driver_errors.assign(after.driver_errors.begin() + static_cast<std::ptrdiff_t>(seen),
                              after.driver_errors.end());
  return arisen;
}

std::optional<Action> action_of_driver_error(int number) {
  // Memory, not corrected (48, 94, 95, 140); a remapping failed; a link; fallen off the bus.
  constexpr std::array kIsolate{48, 64, 74, 79, 94, 95, 140};
  // A row is to be remapped; processors of the device itself hang or fail.
  constexpr std::array kReset{61, 62, 63, 109, 110, 119, 120};
  constexpr std::array kOfPrograms{13, 31, 43, 45, 68, 69};
  const auto is_in = [&](const auto& numbers) {
    return std::ranges::find(numbers, number) != numbers.end();
  };
  if (is_in(kOfPrograms)) return std::nullopt;
  return is_in(kIsolate) ? Action::Isolate : is_in(kReset) ? Action::Reset : Action::Monitor;
}

std::vector<Finding> judge_events(const hpcx::EventCounts& events) {
  std::vector<Finding> findings;
  for (const FigureInfo& about : kEventFigures) {
    const auto* const count = count_of(events, about.name);
    if (count == nullptr || !*count || about.better == Better::Neither ||
        about.value == Figure::DriverErrors)
      continue;
    const double in_order = about.noise + about.limit * events.seconds / 3600;
    if (static_cast<double>(**count) <= in_order) continue;
    std::string text = fmt::format("{}: {} in {:.3g} s", about.label, **count, events.seconds);
    if (in_order > 0) text += fmt::format(", up to {:.0f} are in order", in_order);
    findings.push_back(finding_of(about, about.action, **count, in_order, std::move(text)));
  }
  std::map<int, std::int64_t> errors;
  for (const int number : events.driver_errors)
    ++errors[number];
  for (const auto& [number, count] : errors)
    if (const auto action = action_of_driver_error(number))
      findings.push_back(
          finding_of(info(Figure::DriverErrors), *action, count, 0,
                     fmt::format("driver error (Xid) {}, {}", number, count_text(count, "time"))));
  std::ranges::stable_sort(findings, {}, &Finding::severity);
  return findings;
}

std::vector<EventFinding> event_findings(const RunResult& run) {
  std::vector<EventFinding> findings;
  for (const Subject& subject : subjects_of(run))
    for (Finding& finding : judge_events(subject.events)) {
      findings.push_back(subject.named);
      static_cast<Finding&>(findings.back()) = std::move(finding);
    }
  return findings;
}

std::vector<EventFinding> event_findings(std::span<const RunResult> runs) {
  std::vector<EventFinding> worst;
  for (const RunResult& run : runs)
    for (EventFinding& found : event_findings(run)) {
      found.text.insert(0, fmt::format("run {}: ", run.repeat_index + 1));
      // Driver errors have numbers, and differ.
      const auto known = std::ranges::find_if(worst, [&](const EventFinding& other) {
        return found.figure != Figure::DriverErrors && found.figure == other.figure &&
               subject_of(found) == subject_of(other);
      });
      if (known == worst.end())
        worst.push_back(std::move(found));
      else if (*found.value > *known->value)
        *known = std::move(found);
    }
  return worst;
}

std::vector<std::string> device_findings(const RunResult& run) {
  std::vector<std::string> sentences = device_findings(run.devices);
  for (const EventFinding& finding : event_findings(run))
    sentences.push_back(fmt::format("{}: {}", subject_of(finding), finding.text));
  return sentences;
}

std::vector<std::string> event_lines(const RunResult& run) {
  std::vector<std::string> lines;
  for (const Subject& subject : subjects_of(run)) {
    std::string text;
    for (const FigureInfo& about : kEventFigures)
      if (const auto* const count = count_of(subject.events, about.name))
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", about.label,
                            *count ? std::to_string(**count) : "not readable");
    if (!text.empty()) lines.push_back(fmt::format("{}: {}", subject_of(subject.named), text));
  }
  return lines;
}

std::optional<Remark> unreadable_events(std::span<const hpcx::EventCounts> all) {
  std::string kinds;
  for (const FigureInfo& about : kEventFigures) {
    const bool unreadable = std::ranges::any_of(all, [&](const hpcx::EventCounts& events) {
      const auto* const count = count_of(events, about.name);
      return count != nullptr && !*count;
    });
    if (unreadable) kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", about.label);
  }
  if (kinds.empty()) return std::nullopt;
  return note("counters", "not readable: " + kinds);
}

std::vector<hpcx::EventCounts> events_of(const RunResult& run) {
  std::vector<hpcx::EventCounts> all;
  for (Subject& subject : subjects_of(run))
    all.push_back(std::move(subject.events));
  return all;
}

}  // namespace hpl
