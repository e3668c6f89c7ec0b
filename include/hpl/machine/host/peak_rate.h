#pragma once

#include <optional>

#include "hpcx/device.h"
#include "hpl/base/result/peak_rate.h"
#include "hpl/machine/host/text_file.h"

namespace hpl {

/// FP64 peak of so many cores: cores x clock x flops per cycle. Flops per cycle follow from the
/// vectors that /proc/cpuinfo names, with two units for fused multiply-add a core. The clock is the
/// base clock where Linux tells it, as in the TOP500's Rpeak, else the highest, else the one that
/// /proc/cpuinfo shows. Empty where either is unknown.
std::optional<PeakRate> cpu_peak(int cores, const FileReader& read = read_text_file);

/// FP64 peak of a device at its highest clock. Empty where the back end does not know how many
/// operations a unit makes in a cycle, or no sensor tells the clock.
std::optional<PeakRate> device_peak(const hpcx::DeviceProperties& device,
                                    const hpcx::DeviceHealth& health);

}  // namespace hpl
