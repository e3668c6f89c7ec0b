#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/file/host_list_files.h"
#include "hpl/base/power/power_level.h"
#include "hpl/export/formats.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/page/page.h"

namespace hpl::page {

/// The command line of xhpl-report.
struct ReportOptions {
  std::vector<std::string> files;
  std::optional<std::filesystem::path> output;  ///< "-": standard output
  PageOptions page;
  std::optional<std::filesystem::path> power_log;  ///< of the machine's meter
  double power_offset = 0;                         ///< seconds to add to its times
  std::optional<PowerScope> power_scope;           ///< of the meter; empty: as in the files
  bool merge = false;                              ///< unite fleets instead of making a page
  std::vector<std::string> expected_hosts;  ///< of the merged fleet or the sheet; empty: all there
  HostListPaths host_lists;                 ///< of the merged fleet
  bool top500 = false, mxp = false;         ///< fill that form instead of making a page
  Format format = kFormats.front();
  std::string text;  ///< help, version or a schema to print; nothing else is done then

  bool fills_form() const { return top500 || mxp; }
};

/// Throws ConfigError for anything that --help does not know.
ReportOptions parse_report_command_line(int argc, const char* const* argv);

/// The flags that it knows, in the order of --help.
std::vector<Flag> report_flags();

}  // namespace hpl::page
