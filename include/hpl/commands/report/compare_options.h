#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/text/text_style.h"
#include "hpl/compare/compare.h"
#include "hpl/input/command_line/command_line.h"

namespace hpl::page {

/// The command line of xhpl compare.
struct CompareOptions {
  CompareRequest request;
  Figure figure = Figure::Gflops;  ///< of the text of a history
  Detail detail = Detail::Usual;
  std::optional<std::filesystem::path> csv, json, page;  ///< "-": standard output
  std::string text;  ///< help or version to print; nothing else is done then

  /// A document takes the place of the text on standard output.
  bool prints_document() const { return csv == "-" || json == "-" || page == "-"; }
};

/// Throws ConfigError for anything that --help does not know.
CompareOptions parse_compare_command_line(int argc, const char* const* argv);

/// The flags that it knows, in the order of --help.
std::vector<Flag> compare_flags();

}  // namespace hpl::page
