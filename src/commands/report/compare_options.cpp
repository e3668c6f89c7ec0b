#include "hpl/commands/report/compare_options.h"

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/flag_adder.h"

namespace hpl::page {

namespace {

using detail::FlagAdder;

/// "-2%" or "-2": percent from -100 to 0, without 0 itself.
double require_loss(std::string_view flag, std::string_view text) {
  const bool has_sign = text.ends_with('%');
  const auto percent = parse_real(has_sign ? text.substr(0, text.size() - 1) : text);
  if (!percent || !(*percent < 0) || *percent < -100)
    throw ConfigError("{} must be a loss such as -2%, from -100% to below 0, found {}", flag,
                      quote_printable(text));
  return *percent;
}

/// The flags, which write to `options`.
CommandLine command_line(CompareOptions& options) {
  CommandLine line(
      "xhpl compare",
      "xhpl compare: what changed between reports (--json of xhpl run, fleet and check),\n"
      "or folders of them: settings, software and hardware, then figures by member.",
      "Each path is a side; a folder stands for all documents below it. Devices are\n"
      "matched by serial number, wherever they are now, and otherwise by host and\n"
      "number. Runs of another N, NB, grid or arithmetic are named, and not compared.\n"
      "Rates of a log, the rows that begin with W, are compared without a verdict.\n"
      "\n"
      "Examples:\n"
      "  xhpl compare may.json june.json\n"
      "  xhpl compare may/ june/ --fail-below -2% --csv june.csv\n"
      "  xhpl compare --history fleets/ --page history.html\n"
      "\n"
      "Exit code: 0 compared, 1 a result, a host or a device is wrong that was not\n"
      "before, a member is lost, a solution was not checked, or a job of the last\n"
      "side ended early, 2 bad input, 3 not written, 4 a rate fell below --fail-below.");
  line.add_words("PATH", "JSON reports of xhpl, folders of them, or logs of other HPLs",
                 options.request.paths);
  FlagAdder add(line);
  add.toggle("--history", "order all documents by their dates, and follow each member",
             options.request.history, true);
  add.text({"--fail-below", "PERCENT",
            "exit code 4 if the rate of a member fell by more, -2%, and by more than its noise"},
           [&](std::string_view flag, std::string_view text) {
             options.request.fail_below = require_loss(flag, text);
           });
  add.toggle("--strict", "exit code 4 also if the noise is too large to decide --fail-below",
             options.request.strict, true);
  add.choice({"--figure", "FIGURE", "figure of the text of a history (default: gflops)"},
             kAllFigures, options.figure);
  add.path({"--csv", "FILE", "write a table: a row for each member and side"}, options.csv, "-");
  add.path({"--json", "FILE", "write the comparison as JSON"}, options.json, "-");
  add.path({"--page", "FILE", "write a page to read, with charts of a history"}, options.page, "-");
  const auto show = [&options](Detail detail) {
    return [&options, detail] {
      if (options.detail != CompareOptions().detail && options.detail != detail)
        throw ConfigError("-q and -v do not go together; leave one of them out");
      options.detail = detail;
    };
  };
  add.toggle("-q,--quiet", "show the verdict alone", show(Detail::Verdict));
  add.toggle("-v,--verbose", "show every member and change", show(Detail::Everything));
  line.add_help("xhpl-report " HPL_VERSION);
  return line;
}

}  // namespace

std::vector<Flag> compare_flags() {
  CompareOptions options;
  return command_line(options).flags();
}

CompareOptions parse_compare_command_line(int argc, const char* const* argv) {
  CompareOptions options;
  options.text = command_line(options).read(argc, argv);
  if (!options.text.empty()) return options;
  const std::size_t paths = options.request.paths.size();
  if (paths < (options.request.history ? 1 : 2))
    throw ConfigError(
        "name two reports or folders to compare, or one folder with --history, found {}",
        paths == 0 ? "none" : quote_printable(options.request.paths.front()));
  if (options.request.strict && !options.request.fail_below)
    throw ConfigError("--strict belongs to --fail-below; give both");
  const int to_output = (options.csv == "-") + (options.json == "-") + (options.page == "-");
  if (to_output > 1)
    throw ConfigError("one of --csv, --json and --page may go to standard output, found several");
  return options;
}

}  // namespace hpl::page
