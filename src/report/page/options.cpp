#include "hpl/report/page/options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "format.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/command_words.h"

namespace hpl::page {

namespace {

constexpr IntegerRange kRunsInFull{0, 1000};

/// What CLI11 found wrong with the form of the command line.
std::string reworded(const CLI::ParseError& error) {
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return fmt::format("{}; xhpl-report --help shows every flag", what);
  return fmt::format("bad command line: {}", what);
}

}  // namespace

ReportOptions parse_report_command_line(int argc, const char* const* argv) {
  ReportOptions options;
  CLI::App app(
      "xhpl-report: one HTML page from the JSON reports of xhpl (xhpl --json). The page needs no\n"
      "network; several files, or a file with several runs, are compared.",
      "xhpl-report");
  app.footer(
      "Examples:\n"
      "  xhpl-report run.json -o report.html\n"
      "  xhpl-report before.json after.json -o comparison.html\n"
      "\n"
      "Exit code: 0 written, 2 bad input, 3 the page could not be written.");
  app.get_formatter()->column_width(30);
  app.allow_extras();
  app.set_help_flag();

  bool help = false, version = false;
  std::string runs_in_full;
  app.add_option("FILE", options.files, "JSON reports of xhpl")->type_name("");
  app.add_option("-o,--output", options.output, "write the page to FILE; -: standard output")
      ->type_name("FILE")
      ->take_last();
  app.add_option("--title", options.page.title, "heading of the page (default: made from the runs)")
      ->type_name("TEXT")
      ->take_last();
  app.add_option("--runs", runs_in_full, "how many runs get charts of their own (default: 6)")
      ->type_name("COUNT")
      ->take_last();
  app.add_flag("-h,--help", help, "show this text and stop")->disable_flag_override();
  app.add_flag("--version", version, "show the version and stop")->disable_flag_override();
  try {
    app.parse(command_words(app, argc, argv));
  } catch (const CLI::ParseError& error) {
    throw ConfigError(reworded(error));
  }
  if (help || version) {
    options.text = help ? app.help() : std::string("xhpl-report ") + HPL_VERSION + "\n";
    return options;
  }
  if (const auto extras = app.remaining(); !extras.empty()) {
    throw ConfigError(fmt::format("unknown argument {}; xhpl-report --help shows every flag",
                                  quote_printable(extras.front())));
  }
  if (options.files.empty())
    throw ConfigError("no file is given; name at least one that xhpl --json wrote");
  if (options.output.empty())
    throw ConfigError("no output file is given; give -o FILE, or -o - for standard output");
  if (!is_utf8(options.page.title)) {
    throw ConfigError(fmt::format("--title must be text in UTF-8, found {}",
                                  quote_printable(options.page.title)));
  }
  if (!runs_in_full.empty()) {
    options.page.runs_in_full =
        static_cast<std::size_t>(require_integer("--runs", runs_in_full, kRunsInFull));
  }
  return options;
}

}  // namespace hpl::page
