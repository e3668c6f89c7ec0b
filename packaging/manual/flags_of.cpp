#include "flags_of.h"

#include <stdexcept>

#include <fmt/format.h>

#include "hpl/commands/campaign/options.h"
#include "hpl/commands/report/compare_options.h"
#include "hpl/commands/report/options.h"
#include "hpl/input/command_line/command.h"
#include "hpl/input/command_line/options.h"
#include "hpl/predict/predict_options.h"

namespace hpl::manual {

std::vector<Flag> flags_of(const std::string& program) {
  if (program == "xhpl") return {};  // they stand on the pages of its commands
  for (const CommandRow& row : kCommands)
    if (program == fmt::format("xhpl-{}", row.name) && row.program.empty())
      return command_flags(row.value);
  if (program == "xhpl-campaign") return campaign::campaign_flags();
  if (program == "xhpl-predict") return predict_flags();
  if (program == "xhpl-report") return page::report_flags();
  if (program == "xhpl-compare") return page::compare_flags();
  throw std::runtime_error("no program is called " + program);
}

}  // namespace hpl::manual
