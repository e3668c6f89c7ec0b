#include "fleet_expectation.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "hpl/base/json/json_text.h"
#include "hpl/input/command_line/options.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/plan/sheet_expectation.h"

namespace hpl {

namespace {

std::optional<ExpectedRun> expected_of(const FleetMember& member, const RunSpec& spec,
                                       const RunSettings& settings,
                                       const std::optional<MachineSheet>& sheet) {
  std::vector<DeviceTelemetry> devices;
  for (const JobDevice& device : member.devices)
    devices.push_back({.rank = device.rank,
                       .host = device.host,
                       .backend = device.backend,
                       .device_index = device.index,
                       .device = device.model});
  return sheet ? expected_by_sheet(*sheet, spec, settings, devices)
               : expected_by_sheet(spec, settings, devices);
}

}  // namespace

void add_expectations(FleetReport& report, const std::string& source, const RunSettings* settings) {
  std::optional<MachineSheet> sheet;
  if (source != kKnownSheet) sheet = parse_machine_sheet(source, read_json_text(source));
  std::set<std::string> kinds;
  for (const FleetMember& member : report.members) {
    if (!kinds.insert(member.kind).second) continue;
    std::optional<ExpectedRun> expected;
    if (settings != nullptr) expected = expected_of(member, report.spec, *settings, sheet);
    if (expected)
      report.expectations.push_back({member.kind, *std::move(expected)});
    else
      report.header.remarks.push_back(
          warning("expectation", "--expect {}: no data sheet tells the rate of this run on {}",
                  source, member.kind));
  }
}

}  // namespace hpl
