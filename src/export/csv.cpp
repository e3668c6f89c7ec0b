#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/export/formats.h"
#include "hpl/fleet/report/fleet_table.h"
#include "hpl/report/csv/run_table.h"

namespace hpl::page {

std::string csv_table_text(std::span<const RunFile> files) {
  const Content content = files.front().content;
  for (const RunFile& file : files) {
    if (file.content != Content::Runs && file.content != Content::Fleet)
      throw ConfigError(
          fmt::format("{}: --format csv takes documents of runs or of fleets, found another",
                      shown_text(file.name)));
    if (file.content != content)
      throw ConfigError(
          fmt::format("{}: --format csv makes one table, of runs or of fleets; the files hold both",
                      shown_text(file.name)));
  }
  std::string text = (content == Content::Runs ? run_table() : fleet_table()).header;
  for (const RunFile& file : files) {
    for (const RunResult& run : file.job.runs)
      text += run_row(run, file.job.header.program);
    if (!file.fleet) continue;
    for (const std::string& row : fleet_rows(*file.fleet))
      text += row;
  }
  return text;
}

}  // namespace hpl::page
