#include "hpl/base/power/power_log.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"

namespace hpl {

namespace {

constexpr double kMostWatts = 1e9;
constexpr double kLastSecond = 253402300799.0;  // of the year 9999

constexpr std::string_view kAround = " \t\r\"";  // a cell's text

}  // namespace

std::optional<double> parse_watts(std::string_view text) {
  text = trimmed(text, kAround);
  for (const std::string_view unit : {"Watts", "watts", "W"}) {
    if (!text.ends_with(unit)) continue;
    text = trimmed(text.substr(0, text.size() - unit.size()), kAround);
    break;
  }
  const auto watts = parse_real(text);
  return watts && *watts >= 0 && *watts <= kMostWatts ? watts : std::nullopt;
}

std::optional<double> parse_log_time(std::string_view text) {
  text = trimmed(text, kAround);
  if (const auto seconds = parse_real(text))
    return *seconds >= 0 && *seconds <= kLastSecond ? seconds : std::nullopt;
  const auto time = parse_iso_time(text);
  return time ? std::optional(time->seconds) : std::nullopt;
}

namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells = split_fields(line, ",;\t");
  for (std::string_view& cell : cells)
    cell = trimmed(cell, kAround);
  return cells;
}

/// Reads a log line by line.
class TableReader {
 public:
  TableReader(const ChooseColumns& choose, double offset) : choose_(choose), offset_(offset) {}

  void read(std::string_view line) {
    ++number_;
    line = trimmed(line, kAround);
    if (line.empty() || line.front() == '#') return;
    const std::vector<std::string_view> cells = cells_of(line);
    const auto seconds = parse_log_time(cells.front());
    if (chosen_.empty()) {
      std::vector<std::string> head;
      if (!seconds) head.assign(cells.begin() + 1, cells.end());
      chosen_ = choose_(head);
      table_.columns.resize(chosen_.size());
      if (!seconds) {
        // Remembered: where nothing follows, it is what was found.
        remember(line);
        return;
      }
    }
    bool any = false, good = seconds.has_value();
    for (std::size_t i = 0; i < chosen_.size() && seconds; ++i) {
      const std::size_t cell = chosen_[i] + 1;
      if (cell >= cells.size() || cells[cell].empty()) continue;
      const auto watts = parse_watts(cells[cell]);
      good = good && watts;
      any = any || watts;
      if (watts) table_.columns[i].push_back({*seconds + offset_, *watts});
    }
    any_ = any_ || any;
    if (good && any) return;
    if (strange_++ == 0) remember(line);
  }

  PowerTable take(const std::string& name) {
    constexpr const char* kAllowed =
        "a time (seconds since 1970, or 2026-01-03T04:00:00+01:00) and watts";
    if (!any_)
      throw ConfigError(
          first_ > 0
              ? fmt::format("{} line {}: must be {}, found {}", name, first_, kAllowed, text_)
              : fmt::format("{}: must hold lines of {}, found none", name, kAllowed));
    if (strange_ > 0)
      table_.complaints.push_back(fmt::format(
          "{}: {} passed over, all or in part, that are not {}, the first is line {}: {}", name,
          count_text(strange_, "line"), kAllowed, first_, text_));
    for (PowerSeries& samples : table_.columns)
      std::ranges::stable_sort(samples, {}, &PowerSample::seconds);
    return std::move(table_);
  }

 private:
  void remember(std::string_view line) {
    constexpr std::size_t kShown = 200;
    first_ = number_;
    text_ = quote_printable(line.substr(0, kShown));
  }

  const ChooseColumns& choose_;
  double offset_;
  std::vector<std::size_t> chosen_;
  PowerTable table_;
  bool any_ = false;
  std::int64_t number_ = 0, strange_ = 0, first_ = 0;
  std::string text_;
};

}  // namespace

PowerTable parse_power_table(const std::string& name, std::string_view text, double offset,
                             const ChooseColumns& choose) {
  TableReader reader(choose, offset);
  for (const std::string_view line : split_lines(text))
    reader.read(line);
  return reader.take(name);
}

PowerLog parse_power_log(const std::string& name, std::string_view text, double offset) {
  PowerTable table = parse_power_table(name, text, offset, [](const std::vector<std::string>&) {
    return std::vector<std::size_t>{0};
  });
  return {.samples = std::move(table.columns.front()), .complaints = std::move(table.complaints)};
}

}  // namespace hpl
