#include "hpl/report/csv/csv_file.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/line_file.h"
#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/gates.h"

namespace hpl {
namespace {

using Row = std::vector<std::pair<const char*, std::string>>;

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text)
    result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string number(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : std::string();
}

std::optional<double> hottest(const RunResult& run) {
  std::optional<double> most;
  for (const DeviceTelemetry& device : run.devices)
    if (const auto& celsius = device.sensors.temperature_celsius)
      most = most ? std::max(*most, celsius->maximum) : celsius->maximum;
  return most;
}

/// The one list of columns: header and rows are made of it.
Row columns(const RunResult& run, const std::string& program_version) {
  const RunSpec& spec = run.spec;
  const auto ranks = rank_extremes(run);
  const bool has_attainable = run.attainable_gflops && *run.attainable_gflops > 0;
  const bool complete = !run.stopped;
  const DeviceTelemetry first = run.devices.empty() ? DeviceTelemetry{} : run.devices.front();
  const bool metered = run.power && run.power->meter && run.power->meter->averages;
  const PowerAverages* const averages = run.power ? best_averages(*run.power) : nullptr;
  const std::string energy = averages == nullptr ? "" : number(averages->joules);
  return {
      {"started", utc_time(run.started)},
      {"version", csv_text(program_version)},
      {"host", csv_text(first.host)},
      {"device", csv_text(first.device)},
      {"variant", variant_code(spec)},
      {"n", std::to_string(spec.order)},
      {"nb", std::to_string(spec.block_size)},
      {"p", std::to_string(spec.grid_rows)},
      {"q", std::to_string(spec.grid_columns)},
      {"run", std::to_string(run.run_index + 1)},
      {"repetition", std::to_string(run.repeat_index + 1)},
      {"status", std::string(to_string(run_status(run)))},
      {"seconds", complete ? number(run.seconds) : ""},
      {"gflops", complete ? number(run.gflops) : ""},
      {"ceiling_gflops", has_attainable ? number(run.attainable_gflops) : ""},
      {"efficiency_percent",
       has_attainable && complete ? number(100 * run.gflops / *run.attainable_gflops) : ""},
      {"residual", run.residual ? number(run.residual->scaled) : ""},
      {"zero_pivot_column", run.zero_pivot_column ? std::to_string(*run.zero_pivot_column) : ""},
      {"rank_spread_percent", ranks ? number(ranks->spread) : ""},
      {"slowest_rank", ranks ? csv_text(rank_name(run, ranks->slowest)) : ""},
      {"power_watts", number(total_power(distinct_devices(run.devices)))},
      {"gflops_per_watt", number(gflops_per_watt(run))},
      {"hottest_celsius", number(hottest(run))},
      {"checksum_faults", run.checksums ? std::to_string(run.checksums->faults.size()) : ""},
      {"stopped_percent", run.stopped ? number(100 * run.stopped->fraction) : ""},
      {"projected_gflops", run.stopped ? number(run.stopped->projected_gflops) : ""},
      // Later columns: numbers alone, so that a row of an earlier table is cut at a comma.
      {"energy_joules", energy},
      {"meter_watts", metered ? number(run.power->meter->averages->watts) : ""},
      {"expected_seconds", run.expected ? number(run.expected->seconds) : ""},
      {"rpeak_gflops", run.peak ? number(run.peak->gflops) : ""},
      {"peak_efficiency_percent",
       efficiency_of_peak(run) ? number(100 * *efficiency_of_peak(run)) : ""},
      {"checksum_comparisons", run.checksums ? std::to_string(run.checksums->comparisons) : ""},
  };
}

std::string message(const std::filesystem::path& target, const std::system_error& failure) {
  return fmt::format("cannot write the CSV table to '{}': {}", shown_text(target.string()),
                     std::generic_category().message(failure.code().value()));
}

/// Of the first tables; those begun since have more.
constexpr std::ptrdiff_t kFirstColumns = 26;

/// Columns at the end of ours that a table with this first line lacks, because an earlier version
/// began it; empty where the table is another one.
std::optional<std::ptrdiff_t> later_columns(std::string_view first_line) {
  const std::string header = csv_header();
  if (!std::string_view(header).starts_with(first_line)) return std::nullopt;
  if (std::ranges::count(first_line, ',') + 1 < kFirstColumns) return std::nullopt;
  const std::string_view rest = std::string_view(header).substr(first_line.size());
  if (rest.front() != ',' && rest.front() != '\n') return std::nullopt;
  return std::ranges::count(rest, ',');
}

std::string without_last(std::string row, std::ptrdiff_t columns) {
  for (; columns > 0; --columns)
    row.erase(row.rfind(','), std::string::npos);
  return row.ends_with('\n') ? row : row + '\n';
}

std::string first_line(const LineFile& file) {
  const std::string found = file.read(0, csv_header().size());
  const std::size_t end = found.find('\n');
  return end == std::string::npos ? std::string() : found.substr(0, end);
}

/// Says what is wrong with a file that does not begin with our columns.
std::optional<std::string> foreign_content(const LineFile& file,
                                           const std::filesystem::path& target) {
  const std::string found = file.read(0, csv_header().size());
  if (found.empty() || later_columns(first_line(file))) return std::nullopt;
  return fmt::format(
      "the CSV table '{}' must begin with the columns that this program writes "
      "(started,version,host,...), found {}; name another file with --csv",
      shown_text(target.string()), quote_printable(found.substr(0, found.find_first_of("\r\n"))));
}

}  // namespace

std::string csv_header() {
  std::string line;
  for (const auto& [name, value] : columns({}, {}))
    line += (line.empty() ? "" : ",") + std::string(name);
  return line + '\n';
}

std::string csv_row(const RunResult& run, const std::string& program_version) {
  std::string line;
  bool first = true;
  for (const auto& [name, value] : columns(run, program_version)) {
    line += (first ? "" : ",") + value;
    first = false;
  }
  return line + '\n';
}

CsvFile::CsvFile(const std::filesystem::path& target) : target_(target) {
  try {
    const LineFile file(target);
    if (const auto wrong = foreign_content(file, target)) throw ConfigError(*wrong);
  } catch (const std::system_error& failure) {
    throw ConfigError(message(target, failure));
  }
}

void CsvFile::append(const std::string& row) const {
  try {
    const LineFile file(target_);
    const off_t size = file.size();
    if (size > 0) {
      if (const auto wrong = foreign_content(file, target_)) throw RunError(*wrong);
      // A last line without its end was cut off by somebody else: it stays alone.
      const bool torn = file.read(size - 1, 1) != "\n";
      const std::string own = without_last(row, *later_columns(first_line(file)));
      return file.append(torn ? '\n' + own : own);
    }
    file.append(csv_header() + row);
  } catch (const std::system_error& failure) {
    throw RunError(message(target_, failure));
  }
}

}  // namespace hpl
