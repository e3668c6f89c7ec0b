#include <fmt/format.h>

#include "hpl/base/text/text_value.h"
#include "hpl/export/formats.h"
#include "summary.h"

namespace hpl::page {
namespace {

constexpr std::size_t kFaultsShown = 5;

std::string fault_lines(const Suite& suite) {
  std::string text;
  std::size_t count = 0;
  for (const Case* const one : shown_cases(suite))
    for (const std::string& fault : one->faults)
      if (++count <= kFaultsShown)
        text += fmt::format("{}: {}: {}\n", to_string(one->verdict), one_line(one->name),
                            one_line(fault));
  if (count > kFaultsShown) text += fmt::format("and {} more\n", count - kFaultsShown);
  return text;
}

std::string summary_of(const Suite& suite) {
  std::string text = one_line(verdict_line(suite)) + "\n";
  if (const std::string run = run_line(suite); !run.empty()) text += run + "\n";
  return text + result_line(suite) + "\n" + fault_lines(suite) + one_line(origin_line(suite)) +
         "\n";
}

}  // namespace

std::string mail_text(std::span<const RunFile> files) {
  std::string text;
  for (const RunFile& file : files)
    text += (text.empty() ? "" : "\n") + summary_of(suite_of(file));
  return text;
}

}  // namespace hpl::page
