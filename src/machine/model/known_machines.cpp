#include "hpl/machine/model/known_machines.h"

#include <algorithm>

#include "sheet_texts.h"

namespace hpl {

std::vector<MachineSheet> known_machines() {
  std::vector<MachineSheet> sheets;
  for (const SheetText& sheet : sheet_texts())
    sheets.push_back(parse_machine_sheet(sheet.file, sheet.text));
  return sheets;
}

std::optional<MachineSheet> sheet_of_device(std::string_view device) {
  for (MachineSheet& sheet : known_machines())
    if (sheet.accelerator &&
        std::ranges::find(sheet.accelerator->devices, device) != sheet.accelerator->devices.end())
      return std::move(sheet);
  return std::nullopt;
}

}  // namespace hpl
