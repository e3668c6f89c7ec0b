#include "hpl/plan/sheet_expectation.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "hpl/base/error/error.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/machine/model/search.h"
#include "hpl/report/result/device_telemetry.h"

namespace hpl {

namespace {

/// A wider interval says nothing.
constexpr double kWidestInterval = 0.25;
/// Chips outside of two standard deviations are rare.
constexpr double kChipDeviations = 2;

bool is_plain(const RunSpec& spec, const RunSettings& settings) {
  return spec.order > 0 && spec.emulated_moduli == 0 && !spec.mixed && !spec.checksums &&
         settings.stages.schedule.step_limit == 0 && !in_host_memory(DecidedRun{spec, settings});
}

int hosts_of(std::span<const DeviceTelemetry> devices) {
  std::set<std::string> hosts;
  for (const DeviceTelemetry& device : devices)
    hosts.insert(device.host);
  return static_cast<int>(hosts.size());
}

/// The machine of the sheet with as many nodes and devices as the run has.
MachineSheet with_ranks(MachineSheet sheet, int ranks, int nodes) {
  sheet.nodes = nodes;
  const int ranks_per_node = (ranks + nodes - 1) / nodes;
  if (sheet.accelerator)
    sheet.accelerators_per_node =
        (ranks_per_node + sheet.accelerator->ranks - 1) / sheet.accelerator->ranks;
  else
    sheet.host.ranks = ranks_per_node;
  return sheet;
}

bool are_alike(std::span<const DeviceTelemetry> devices) {
  return !devices.empty() && std::ranges::all_of(devices, [&](const DeviceTelemetry& device) {
    return device.device == devices.front().device;
  });
}

/// Of a run of `seconds`, by the model and the sheet.
double error_of(const MachineSheet& sheet, double model_seconds, double seconds) {
  if (!sheet.accelerator) return model_seconds;
  return std::hypot(model_seconds, seconds * kChipDeviations * sheet.accelerator->deviation,
                    seconds * sheet.accelerator->product_uncertainty);
}

}  // namespace

std::optional<ExpectedRun> expected_by_sheet(const MachineSheet& sheet, const RunSpec& spec,
                                             const RunSettings& settings,
                                             std::span<const DeviceTelemetry> devices) {
  if (!is_plain(spec, settings) || !are_alike(devices)) return std::nullopt;
  const bool gpu = devices.front().backend != "cpu";
  if (gpu != sheet.accelerator.has_value() || gpu != settings.stages.device_panel)
    return std::nullopt;
  if (gpu && (!sheet.accelerator->panel || distinct_devices(devices).size() < devices.size()))
    return std::nullopt;
  const Rates rates =
      rates_of(with_ranks(sheet, static_cast<int>(devices.size()), hosts_of(devices)));
  DecidedRun decided{spec, settings};
  // Blocks follow the rates of the chips, and those of the sheet are all alike.
  decided.spec.row_weights.clear();
  decided.spec.column_weights.clear();
  Prediction prediction;
  try {
    prediction = predict(affordable_model(decided), decided, rates);
  } catch (const ConfigError&) {
    return std::nullopt;  // the sheet has no rate for such a run
  }
  ExpectedRun expected{
      .model = std::string(to_string(prediction.model)),
      .seconds = prediction.seconds,
      .gflops = prediction.gflops,
      .error_seconds = error_of(sheet, model_error_seconds(decided, rates, prediction.seconds),
                                prediction.seconds),
      .sheet = sheet.accelerator ? sheet.accelerator->model : sheet.name};
  if (expected.error_seconds > kWidestInterval * expected.seconds) return std::nullopt;
  return expected;
}

std::optional<ExpectedRun> expected_by_sheet(const RunSpec& spec, const RunSettings& settings,
                                             std::span<const DeviceTelemetry> devices) {
  if (devices.empty()) return std::nullopt;
  const auto sheet = sheet_of_device(devices.front().device);
  return sheet ? expected_by_sheet(*sheet, spec, settings, devices) : std::nullopt;
}

std::optional<Rates> rates_by_sheet(std::string_view device, int ranks, int nodes) {
  const auto sheet = sheet_of_device(device);
  if (!sheet) return std::nullopt;
  return rates_of(with_ranks(*sheet, ranks, nodes));
}

}  // namespace hpl
