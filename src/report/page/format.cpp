#include "hpl/report/page/format.h"

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

namespace {

/// A number and its unit stay on one line: the blanks between them do not break.
std::string unbroken(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == ' ' ? "\u00A0" : std::string(1, c);
  return out;
}

}  // namespace

std::string rate_text(double gflops) {
  return unbroken(hpl::rate_text(gflops, 4));
}

std::string seconds_text(double seconds) {
  return unbroken(hpl::seconds_text(seconds));
}

std::string percent_text(double share) {
  return unbroken(hpl::percent_text(share));
}

}  // namespace hpl::page
