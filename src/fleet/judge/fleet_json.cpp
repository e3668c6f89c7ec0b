#include "hpl/fleet/judge/fleet_json.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/fleet/judge/fleet_merge.h"

namespace hpl {
namespace {

using Json = JsonCursor::Json;

/// Names that the judge looks up stand there once, and hosts of members are listed.
void require_whole(const JsonCursor& fleet) {
  std::set<std::string> names;
  for (const JsonCursor& host : fleet.elements("hosts")) {
    const JsonCursor name = host.at("name");
    if (!names.insert(name.text()).second) name.refuse("a host that stands there once");
  }
  for (const JsonCursor& member : fleet.elements("members"))
    for (const JsonCursor& host : member.elements("hosts"))
      if (!names.contains(host.text())) host.refuse("the name of one of fleet.hosts");
}

/// All members have made the run of the fleet, and their figures say no better than they did.
void require_runs(const JsonCursor& fleet, const FleetReport& report) {
  const std::vector<JsonCursor> members = fleet.elements("members");
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::vector<JsonCursor> runs = members[i].elements("runs");
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const RunResult& run = report.members[i].runs[k];
      if (const auto difference = run_difference(report.spec, run.spec))
        runs[k].at("spec").refuse(fmt::format("the run of fleet.spec with {}", difference->one));
      if (runs[k].at("status").text() == "failed" && run_verdict(run) != Verdict::Failed)
        runs[k].at("status").refuse("passed or unchecked, as the other members of the run say");
    }
  }
}

/// Kinds that others are compared with: each once, with figures that say something.
void require_reference(const JsonCursor& from) {
  std::set<std::string> names;
  for (const JsonCursor& kind : from.elements("kinds")) {
    const JsonCursor name = kind.at("kind");
    if (!names.insert(name.text()).second) name.refuse("a kind that stands there once");
    std::set<std::string> figures;
    for (const JsonCursor& of : kind.elements("figures")) {
      const JsonCursor figure = of.at("figure"), middle = of.at("median");
      if (!figures.insert(figure.text()).second) figure.refuse("a figure that stands there once");
      if (figure.text() == info(Figure::Gflops).name && !(middle.number() > 0))
        middle.refuse("above 0");
    }
    if (!figures.contains(std::string(info(Figure::Gflops).name)))
      kind.at("figures").refuse("figures with gflops among them");
  }
}

}  // namespace

std::string fleet_json(const FleetReport& report) {
  return json_text(to_json_value(report));
}

bool is_fleet(const JsonCursor& document) {
  return document.find("fleet").has_value();
}

Json renewed_fleet(Json document) {
  if (document.is_object() && document.contains("fleet") &&
      document.value("schema_version", Json()) == 2)
    document["schema_version"] = 3;
  return document;
}

FleetReport read_fleet(const JsonCursor& document) {
  FleetReport report = from_json_value<FleetReport>(document);
  const JsonCursor fleet = document.at("fleet");
  require_whole(fleet);
  require_runs(fleet, report);
  if (const auto before = fleet.find("reference")) {
    require_reference(*before);
    report.reference->each = report.each;
    report.reference->spec = report.spec;
  }
  return report;
}

FleetReference read_reference(const JsonCursor& document, const std::string& source) {
  FleetReport report = read_fleet(document);
  if (report.exit_code != ExitCode::Passed)
    document.at("exit_code").refuse("0, of a fleet that has passed");
  if (report.error) document.at("error").refuse("null, of a fleet that has passed");
  if (report.kinds.empty()) document.at("fleet").refuse("a fleet that has made its runs");
  require_reference(document.at("fleet"));
  return {.source = source,
          .written = iso_time(report.started),
          .kinds = std::move(report.kinds),
          .each = report.each,
          .spec = std::move(report.spec)};
}

FleetReport read_for_merge(Json document, const std::string& name) {
  document = renewed_fleet(std::move(document));
  const JsonCursor from(document, name);
  if (is_fleet(from)) return read_fleet(from);
  if (!from.contains("runs") || from.contains("kind"))
    from.refuse("a report of xhpl --json with runs, or of xhpl fleet, to be merged");
  return fleet_of(from_json_value<JobReport>(from), name);
}

}  // namespace hpl
