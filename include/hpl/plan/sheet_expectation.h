#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "hpl/machine/decide/decide.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// The rate that a data sheet lets expect of a run whose ranks have these devices, with an interval
/// from the model's error, the spread of chips and how well the rates of products are known. Empty
/// if the sheet says nothing of such a run: ranks share a device or have different ones; the run is
/// not plain FP64, carries checksums, is stopped early, has columns in host memory or panels of the
/// host beside a GPU; the interval is wider than a quarter. Pure.
std::optional<ExpectedRun> expected_by_sheet(const MachineSheet& sheet, const RunSpec& spec,
                                             const RunSettings& settings,
                                             std::span<const DeviceTelemetry> devices);

/// The same by the known sheet that names the devices; empty without one.
std::optional<ExpectedRun> expected_by_sheet(const RunSpec& spec, const RunSettings& settings,
                                             std::span<const DeviceTelemetry> devices);

/// The rates of `ranks` ranks on `nodes` nodes, a device each, by the known sheet that names the
/// device as its driver does; empty without one.
std::optional<Rates> rates_by_sheet(std::string_view device, int ranks, int nodes);

}  // namespace hpl
