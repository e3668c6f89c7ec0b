#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hpl/base/power/power_level.h"
#include "hpl/export/formats.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/page/page.h"

namespace hpl::page {

/// The command line of xhpl-report.
struct ReportOptions {
  std::vector<std::string> files;
  std::string output;  ///< "-": standard output
  PageOptions page;
  std::string power_log;                    ///< of the machine's meter; empty: none
  double power_offset = 0;                  ///< seconds to add to its times
  std::optional<PowerScope> power_scope;    ///< of the meter; empty: as in the files
  bool merge = false;                       ///< unite fleets instead of making a page
  std::vector<std::string> expected_hosts;  ///< of the merged fleet or the sheet; empty: all there
  std::string pass_list_file, warn_list_file, fail_list_file;  ///< of the merged fleet; empty: none
  bool top500 = false, mxp = false;  ///< fill that form instead of making a page
  Format format = kFormats.front();
  std::string text;  ///< help, version or a schema to print; nothing else is done then

  bool fills_form() const { return top500 || mxp; }
};

/// Throws ConfigError for anything that --help does not know.
ReportOptions parse_report_command_line(int argc, const char* const* argv);

/// The flags that it knows, in the order of --help.
std::vector<Flag> report_flags();

}  // namespace hpl::page
