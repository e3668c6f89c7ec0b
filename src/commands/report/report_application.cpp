#include "report_application.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/named_files.h"
#include "hpl/base/file/standard_output.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/text/text_value.h"
#include "hpl/commands/report/compare_options.h"
#include "hpl/commands/report/options.h"
#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/fleet/judge/fleet_merge.h"
#include "hpl/page/page.h"
#include "hpl/page/run_file.h"
#include "hpl/page/verdict.h"
#include "hpl/submit/list_form.h"
#include "power_merge.h"
#include "target.h"

namespace hpl::page {

namespace {

const char* what_is_made(const ReportOptions& options) {
  if (options.merge) return "the merged report";
  return options.fills_form() ? "the form" : options.format.what;
}

/// An output must not take the place of an input.
void require_other_files(const ReportOptions& options) {
  std::vector<NamedFile> all{standard_error_file()};
  for (const std::string& file : options.files) {
    all.push_back({"one of the files to read", file, FileUse::Input});
    all.push_back({"the journal of one of the files to read", journal_of(file), FileUse::Input});
  }
  if (options.power_log) all.push_back({"--power-log", *options.power_log, FileUse::Input});
  std::ranges::move(options.host_lists.named(), std::back_inserter(all));
  all.push_back(options.output == "-" ? standard_output_file() : NamedFile{"-o", *options.output});
  require_distinct_files(all);
}

/// Adds readings of power that stand beside the reports.
void add_power(std::span<RunFile> files, const ReportOptions& options) {
  if (options.power_log) {
    const std::string name = options.power_log->string(), text = read_json_text(name);
    add_power_log(files, {.name = shown_text(name),
                          .text = text,
                          .offset = options.power_offset,
                          .scope = options.power_scope.value_or(PowerScope{})});
  } else if (options.power_scope) {
    set_power_scope(files, *options.power_scope);
  }
}

/// One fleet of several jobs. Of each document only what the judge looks at is kept.
RunFile merged(const ReportOptions& options) {
  std::vector<FleetReport> fleets;
  for (const std::string& file : options.files) {
    const std::string name = shown_text(file);
    fleets.push_back(read_for_merge(parse_json(name, read_json_text(file), "xhpl --json"), name));
  }
  RunFile all;
  all.fleet = merge_fleets(std::move(fleets), options.expected_hosts);
  return all;
}

/// A campaign among the files makes the page its sheet.
PageOptions page_options(std::vector<RunFile>& files, PageOptions options) {
  for (RunFile& file : files)
    if (file.campaign) {
      if (options.campaign)
        throw ConfigError("a page is of one campaign, found several; xhpl compare compares them");
      options.campaign = std::move(file.campaign);
    }
  if (!options.campaign) return options;
  std::erase_if(files, [](const RunFile& file) { return file.content == Content::Campaign; });
  if (files.empty()) throw ConfigError("no step of the campaign has a report");
  options.sheet = true;
  if (options.hosts.empty()) options.hosts = hosts_of_sheet(files, options.campaign->denied);
  return options;
}

std::string output_of(std::vector<RunFile> files, const ReportOptions& options) {
  if (options.format.value != nullptr) return options.format.value(files);
  if (!options.fills_form()) {
    const PageOptions page = page_options(files, options.page);
    return build_page(files, page);
  }
  const ListForm form = options.mxp ? mxp_form(files) : top500_form(files);
  return options.output->extension() == ".json" ? json_text(to_json_value(form)) : form_text(form);
}

/// Makes what the options ask for. Returns the exit code of a merged fleet.
ExitCode make(const ReportOptions& options) {
  require_other_files(options);
  const Target target(options.output, what_is_made(options));
  const HostListFiles host_lists(options.host_lists);
  if (!options.merge) {
    std::vector<RunFile> files = read_run_files(options.files);
    add_power(files, options);
    target.write(output_of(std::move(files), options));
    return ExitCode::Passed;
  }
  RunFile all = merged(options);
  add_power({&all, 1}, options);
  const FleetReport& fleet = *all.fleet;
  host_lists.write(fleet.pass_list, fleet.warn_list, fleet.fail_list);
  target.write(fleet_json(fleet));
  return fleet.exit_code.value();
}

/// An output must not take the place of an input.
void require_other_files(const CompareOptions& options) {
  std::vector<NamedFile> all{standard_error_file(), standard_output_file()};
  for (const std::string& path : options.request.paths)
    all.push_back({"one of the files to read", path, FileUse::Input});
  const auto add = [&](const char* flag, const std::optional<std::filesystem::path>& path) {
    if (path && path != "-") all.push_back({flag, *path});
  };
  add("--csv", options.csv);
  add("--json", options.json);
  add("--page", options.page);
  require_distinct_files(all);
}

ExitCode compare(const CompareOptions& options) {
  require_other_files(options);
  const Target csv(options.csv, "the table"), json(options.json, "the comparison"),
      page(options.page, "the page");
  Comparison comparison = compare_documents(options.request);
  comparison.program = {"xhpl-report", HPL_VERSION};
  if (csv.is_wanted()) csv.write(comparison_csv(comparison));
  if (json.is_wanted() || page.is_wanted()) {
    const std::string document = json_text(to_json_value(comparison));
    json.write(document);
    if (page.is_wanted()) page.write(page_of({{"comparison", document}}));
  }
  const std::string text = comparison_text(comparison, options.figure, {.detail = options.detail});
  if (options.prints_document())
    fmt::print(stderr, "{}", text);
  else
    write_standard_output(text);
  return *comparison.exit_code;
}

ExitCode printed(const std::string& text) {
  write_standard_output(text);
  return ExitCode::Passed;
}

}  // namespace

int run_report_application(int argc, const char* const* argv) {
  make_file_size_limit_an_error();
  if (argc > 1 && std::string_view(argv[1]) == "compare")
    return run_program("xhpl compare", [&] {
      const CompareOptions options = parse_compare_command_line(argc - 1, argv + 1);
      return options.text.empty() ? compare(options) : printed(options.text);
    });
  return run_program("xhpl report", [&] {
    const ReportOptions options = parse_report_command_line(argc, argv);
    return options.text.empty() ? make(options) : printed(options.text);
  });
}

}  // namespace hpl::page
