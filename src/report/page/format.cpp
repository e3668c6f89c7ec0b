#include "format.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpl::page {

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

}  // namespace

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::string mended_utf8(std::string_view text) {
  const std::string mended =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(mended).get<std::string>();
}

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (is_control(c))
          out += kReplacement;
        else
          out += c;
    }
  }
  return out;
}

RateUnit rate_unit(double gflops) {
  constexpr std::array<RateUnit, 5> kUnits{
      {{"MFLOP/s", 1e-3}, {"GFLOP/s", 1}, {"TFLOP/s", 1e3}, {"PFLOP/s", 1e6}, {"EFLOP/s", 1e9}}};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && gflops >= kUnits[unit + 1].gflops)
    ++unit;
  return kUnits[unit];
}

// A number and its unit stay on one line: the blanks between them do not break.

std::string rate_text(double gflops) {
  const RateUnit unit = rate_unit(gflops);
  return fmt::format("{:.4g} {}", gflops / unit.gflops, unit.name);
}

std::string seconds_text(double seconds) {
  if (!(std::abs(seconds) < 1e9)) return "?";
  if (seconds < 1) return fmt::format("{:.3g} s", seconds);
  if (seconds < 60) return fmt::format("{:.2f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
  const std::int64_t minutes = (whole + 30) / 60;
  return fmt::format("{} h {:02d} min", minutes / 60, minutes % 60);
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string count_text(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace hpl::page
