#include "hpl/commands/report/options.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/flag_adder.h"
#include "hpl/report/page/format.h"
#include "schemas.h"

namespace hpl::page {

namespace {

using detail::FlagAdder;

constexpr IntegerRange kRunsInFull{0, 1000};
constexpr double kLargestOffset = 1e9;  // seconds, thirty years

void add_power(FlagAdder& add, ReportOptions& options) {
  add.path({"--power-log", "FILE", "readings of a power meter: lines of a time and watts"},
           options.power_log);
  add.text({"--power-offset", "SECONDS", "what to add to the times of that file (default: 0)"},
           [&](std::string_view flag, std::string_view text) {
             const auto seconds = parse_real(text);
             if (!seconds || std::abs(*seconds) > kLargestOffset)
               throw ConfigError("{} must be seconds from -{:.0f} to {:.0f}, found {}", flag,
                                 kLargestOffset, kLargestOffset, quote_printable(text));
             options.power_offset = *seconds;
           });
  add.power_scope(options.power_scope);
}

void add_merge(FlagAdder& add, ReportOptions& options) {
  add.toggle("--merge",
             "write one fleet's JSON report from those of several jobs, in place of a page",
             options.merge, true);
  add.hosts({"--expect-hosts", "LIST",
             "with --merge or --sheet: these hosts, node[01-32], are the machine; who is missing "
             "has failed"},
            options.expected_hosts);
  add.host_lists(options.host_lists, "with --merge: ");
}

void require_merge(const ReportOptions& options) {
  std::vector<NamedFile> of_fleets = options.host_lists.named();
  if (!options.expected_hosts.empty() && !options.page.sheet)
    of_fleets.insert(of_fleets.begin(), {"--expect-hosts", {}});
  if (!of_fleets.empty() && !options.merge)
    throw ConfigError("{} belongs to --merge; give both", of_fleets.front().origin);
}

/// The flags, which write to `options`.
CommandLine command_line(ReportOptions& options) {
  CommandLine line(
      "xhpl report",
      "xhpl report: one HTML page from the JSON reports of xhpl (xhpl --json), by -o;\n"
      "otherwise their results as text. The page needs no network. Several files, or a\n"
      "file with several runs, are compared.",
      "Examples:\n"
      "  xhpl report run.json\n"
      "  xhpl report run.json -o report.html\n"
      "  xhpl report before.json after.json -o comparison.html\n"
      "  xhpl report run.json --power-log pdu.csv -o report.html\n"
      "  xhpl report --merge --expect-hosts node[01-02] node*.json -o all.json\n"
      "  xhpl report --format junit fleet.json -o fleet.xml\n"
      "  xhpl report --top500 run.json -o form.txt\n"
      "  xhpl report --mxp mxp.json hpl.json -o form.txt\n"
      "\n"
      "Exit code: 0 written, 2 bad input, 3 not written; of --merge also 1 a host is\n"
      "wrong, missing or not checked, 4 a host is slow.");
  line.add_words("FILE", "JSON reports of xhpl", options.files);
  FlagAdder add(line);
  add.path({"-o,--output", "FILE", "write the page to FILE; -: standard output"}, options.output,
           "-");
  add.text({"--title", "TEXT", "heading of the page (default: made from the runs)"},
           [&](std::string_view flag, std::string_view text) {
             if (!is_utf8(text))
               throw ConfigError("{} must be text in UTF-8, found {}", flag, quote_printable(text));
             options.page.title = text;
           });
  add.integer({"--runs", "COUNT", "how many runs get charts of their own (default: 6)"},
              kRunsInFull, options.page.runs_in_full);
  add.toggle("--sheet",
             "each file is a step of an acceptance: printed, the page is a sheet to sign",
             options.page.sheet, true);
  add_power(add, options);
  add.text({"--format", "NAME",
            "in place of the page (default), runs, fleets and checks for other programs: junit, "
            "openmetrics, csv, markdown or text",
            choice_names(kFormats)},
           [&](std::string_view flag, std::string_view text) {
             const auto make = require_choice(flag, text, kFormats);
             options.format = row_of(kFormats, make);
           });
  add.toggle("--top500",
             "fill the forms of the TOP500 and Green500 lists from the fastest run that they take, "
             "in place of a page: text, or JSON where FILE ends with .json",
             options.top500, true);
  add.toggle("--mxp",
             "fill the form of the HPL-MxP list likewise; a report of HPL among the files gives "
             "the rate in FP64",
             options.mxp, true);
  add_merge(add, options);
  add.text({"--schema", "KIND",
            "print the JSON schema of a kind of document: " + allowed_choices(kSchemas)},
           [&](std::string_view flag, std::string_view text) {
             options.text = require_choice(flag, text, kSchemas)();
           });
  line.add_help("xhpl-report " HPL_VERSION);
  return line;
}

}  // namespace

std::vector<Flag> report_flags() {
  ReportOptions options;
  return command_line(options).flags();
}

ReportOptions parse_report_command_line(int argc, const char* const* argv) {
  ReportOptions options;
  CommandLine line = command_line(options);
  const std::string text = line.read(argc, argv);
  if (!text.empty()) options.text = text;
  if (!options.text.empty()) return options;
  if (options.files.empty())
    throw ConfigError("no file is given; name at least one that xhpl --json wrote");
  if (!options.power_log && options.power_offset != 0)
    throw ConfigError("--power-offset shifts the times of --power-log; give both");
  require_merge(options);
  const std::vector<GivenFlag> given = line.given();
  const bool names_format = std::ranges::find(given, "--format", &GivenFlag::name) != given.end();
  const bool makes_more = options.merge || options.page.sheet || options.fills_form();
  if (!options.output && !makes_more && !names_format) options.format = kFormats.back();  // text
  const bool exports = options.format.value != nullptr;
  if (options.merge + options.page.sheet + options.top500 + options.mxp + exports > 1)
    throw ConfigError(
        "--merge, --sheet, --top500, --mxp and --format each say what to make; give one of them");
  if (options.page.sheet) options.page.hosts = options.expected_hosts;
  if (!options.output && (options.fills_form() || exports)) options.output = "-";
  if (!options.output)
    throw ConfigError("no output file is given; give -o FILE, or -o - for standard output");
  return options;
}

}  // namespace hpl::page
