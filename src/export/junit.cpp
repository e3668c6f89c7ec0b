#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/export/formats.h"
#include "hpl/export/suite.h"
#include "hpl/report/page/format.h"

namespace hpl::page {
namespace {

/// As text or attribute of XML 1.0, which has no U+FFFE and U+FFFF either.
std::string xml(std::string_view text) {
  std::string out = escape(text);
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (auto place = out.find(none); place != std::string::npos; place = out.find(none))
      out.replace(place, none.size(), "\xEF\xBF\xBD");
  return out;
}

/// The element of a verdict that is not "passed"; empty: the case counts as passed.
std::string_view element_of(Verdict verdict) {
  if (has_passed(verdict)) return "";
  return verdict == Verdict::Unchecked ? "skipped"
         : verdict == Verdict::Broken  ? "error"
                                       : "failure";
}

/// Figures, warnings and remarks, a line each.
std::string details_of(const Case& one) {
  std::string text;
  if (one.verdict == Verdict::Warned)
    for (const std::string& warning : one.faults)
      text += fmt::format("warning: {}\n", warning);
  for (const CaseFigure& figure : one.figures)
    text += fmt::format("{}: {}\n", info(figure.figure).label, figure_text(figure));
  for (const std::string& remark : one.remarks)
    text += remark + "\n";
  return text;
}

std::string test_case(const Suite& suite, const Case& one) {
  std::string text =
      fmt::format(R"(    <testcase classname="xhpl.{}.{}" name="{}" time="{:.3f}">)"
                  "\n",
                  suite.subject, name_of(kCaseKinds, one.kind), xml(one.name), one.seconds);
  if (const std::string_view element = element_of(one.verdict); !element.empty())
    text += fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element,
                        to_string(one.verdict), xml(one.faults.empty() ? "" : one.faults.front()),
                        xml(fmt::format("{}", fmt::join(one.faults, "\n"))));
  if (const std::string details = details_of(one); !details.empty())
    text += fmt::format("      <system-out>{}</system-out>\n", xml(details));
  return text + "    </testcase>\n";
}

struct Counts {
  std::ptrdiff_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

Counts counts_of(const Suite& suite) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(suite.cases, verdict, &Case::verdict);
  };
  return {std::ssize(suite.cases), count(Verdict::Slow) + count(Verdict::Failed),
          count(Verdict::Broken), count(Verdict::Unchecked)};
}

std::string test_suite(const Suite& suite, const Counts& counts) {
  double seconds = 0;
  for (const Case& one : suite.cases)
    seconds += one.seconds;
  std::string text = fmt::format(
      R"(  <testsuite name="{}" tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")",
      xml(suite.file), counts.tests, counts.failures, counts.errors, counts.skipped, seconds);
  if (suite.started != 0) text += fmt::format(R"( timestamp="{}")", utc_time(suite.started));
  if (!suite.hosts.empty()) text += fmt::format(R"( hostname="{}")", xml(suite.hosts));
  text += ">\n    <properties>\n";
  for (const auto& [name, value] :
       {std::pair("program", suite.program), std::pair("devices", suite.models)})
    text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml(value));
  text += "    </properties>\n";
  for (const Case& one : suite.cases)
    text += test_case(suite, one);
  return text + "  </testsuite>\n";
}

}  // namespace

std::string junit_text(std::span<const RunFile> files) {
  Counts all;
  std::string suites;
  for (const RunFile& file : files) {
    const Suite suite = suite_of(file);
    const Counts counts = counts_of(suite);
    all = {all.tests + counts.tests, all.failures + counts.failures, all.errors + counts.errors,
           all.skipped + counts.skipped};
    suites += test_suite(suite, counts);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"xhpl\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
      all.tests, all.failures, all.errors, suites);
}

}  // namespace hpl::page
