#pragma once

#include <set>
#include <string>
#include <string_view>

#include "hpl/machine/host/text_file.h"

namespace hpl {

/// Names of instruction set extensions as /proc/cpuinfo spells them ("avx2", "avx512f"). The kernel
/// lists only those it has enabled, which the CPUID instruction alone does not tell.
using CpuFeatures = std::set<std::string, std::less<>>;

/// From the first "flags" (x86) or "Features" (Arm) line of a /proc/cpuinfo text; empty without
/// one.
CpuFeatures parse_cpu_features(std::string_view cpuinfo);

/// Value of the first line "key   : value" of a /proc/cpuinfo text; empty without one.
std::string_view cpu_info_value(std::string_view cpuinfo, std::string_view key);

CpuFeatures cpu_features(const FileReader& read = read_text_file);

}  // namespace hpl
