#pragma once

#include <string>
#include <vector>

#include "hpl/input/command_line/command_line.h"
#include "hpl/report/page/page.h"

namespace hpl::page {

/// The command line of xhpl-report.
struct ReportOptions {
  std::vector<std::string> files;
  std::string output;  ///< "-": standard output
  PageOptions page;
  std::string text;  ///< help or version to print; nothing else is done then
};

/// Throws ConfigError for anything that --help does not know.
ReportOptions parse_report_command_line(int argc, const char* const* argv);

/// The flags that it knows, in the order of --help.
std::vector<Flag> report_flags();

}  // namespace hpl::page
