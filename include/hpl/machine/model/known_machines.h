#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "hpl/machine/model/machine_sheet.h"

namespace hpl {

/// The data sheets of config/machines, which are part of the program.
std::vector<MachineSheet> known_machines();

/// The sheet of a device by the name that its driver gives it: "NVIDIA H200". Empty: no sheet names
/// it.
std::optional<MachineSheet> sheet_of_device(std::string_view device);

}  // namespace hpl
