#pragma once

#include <array>
#include <span>
#include <string>

#include "hpl/base/choice/choice.h"
#include "hpl/page/run_file.h"

namespace hpl::page {

// Documents of runs, fleets and checks in the formats of other programs. All throw ConfigError for
// other documents.

/// Test results: a test suite for each document, a test case for each run, gate, member, host and
/// rank. Follows junit-10.xsd of Jenkins' xunit plugin.
std::string junit_text(std::span<const RunFile> files);
/// Gauges in OpenMetrics 1.0 and, with the same bytes, in the text format of Prometheus. Of samples
/// with the same labels the newest document's counts.
std::string openmetrics_text(std::span<const RunFile> files);
/// The table of `xhpl run --csv` or of `xhpl fleet --csv`; of a check a row for each rank.
std::string csv_table_text(std::span<const RunFile> files);
/// A heading with the verdict and a table for each document: GitHub's flavour.
std::string markdown_text(std::span<const RunFile> files);
/// About five lines for each document: verdict, machine, run, rate, and what failed.
std::string mail_text(std::span<const RunFile> files);

/// A format of `xhpl report`. Without a function: the page, which has options of its own.
struct Format : Choice<std::string (*)(std::span<const RunFile>)> {
  const char* what = "";  ///< is made, for messages
};
inline constexpr std::array<Format, 6> kFormats{{
    {{nullptr, "page"}, "the page"},
    {{junit_text, "junit"}, "the test results"},
    {{openmetrics_text, "openmetrics"}, "the metrics"},
    {{csv_table_text, "csv"}, "the table"},
    {{markdown_text, "markdown"}, "the summary"},
    {{mail_text, "text"}, "the summary"},
}};

}  // namespace hpl::page
