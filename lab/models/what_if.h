#pragma once

#include <string_view>

#include "hpl/machine/model/machine_sheet.h"

namespace hpl::models {

/// Changes one thing of a machine: "nic=400Gb", "nics=8", "link=900GB", "memory=141GB",
/// "dgemm=1.1x", "accelerators=8". Throws ConfigError with the text and what is allowed.
void apply_what_if(MachineFile& machine, std::string_view change);

}  // namespace hpl::models
