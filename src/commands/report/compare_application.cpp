#include "compare_application.h"

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/named_files.h"
#include "hpl/base/file/standard_output.h"
#include "hpl/base/record/record.h"
#include "hpl/commands/report/compare_options.h"
#include "hpl/page/page.h"
#include "target.h"

namespace hpl::page {

namespace {

/// An output must not take the place of an input.
void require_other_files(const CompareOptions& options) {
  std::vector<NamedFile> all{standard_error_file(), standard_output_file()};
  for (const std::string& path : options.request.paths)
    all.push_back({"one of the files to read", path, FileUse::Input});
  const auto add = [&](const char* flag, const std::string& path) {
    if (path != "-") all.push_back({flag, path});
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

}  // namespace

int run_compare_application(int argc, const char* const* argv) {
  try {
    const CompareOptions options = parse_compare_command_line(argc, argv);
    if (options.text.empty()) return static_cast<int>(compare(options));
    write_standard_output(options.text);
    return static_cast<int>(ExitCode::Passed);
  } catch (const ConfigError& error) {
    fmt::print(stderr, "xhpl compare: {}\n", error.what());
    return static_cast<int>(ExitCode::BadInput);
  } catch (const std::exception& error) {
    fmt::print(stderr, "xhpl compare: {}\n", error.what());
    return static_cast<int>(ExitCode::Broken);
  }
}

}  // namespace hpl::page
