#include "hpl/base/text/text_value.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "hpl/base/error/error.h"

namespace hpl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

constexpr std::size_t kLongestQuote = 40;

// from_chars knows no leading plus, which the C library (and so every older HPL) accepts.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  text = without_plus(text);
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

/// At most kLongestShown bytes of the text: its begin, "..." and its end, of whole characters.
std::string without_middle(std::string_view text) {
  if (text.size() <= kLongestShown) return std::string(text);
  constexpr std::string_view kGap = "...";
  constexpr std::size_t kEnds = (kLongestShown - kGap.size()) / 2;
  const auto continues = [&](std::size_t at) { return (text[at] & 0xc0) == 0x80; };  // in UTF-8
  std::size_t begin = kEnds, end = text.size() - kEnds;
  while (begin > 0 && continues(begin))
    --begin;
  while (end < text.size() && continues(end))
    ++end;
  return fmt::format("{}{}{}", text.substr(0, begin), kGap, text.substr(end));
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_all<std::int64_t>(text);
}

std::optional<double> parse_real(std::string_view text) {
  const auto value = parse_all<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::int64_t require_integer(std::string_view subject, std::string_view text,
                             const IntegerRange& range, std::string_view note) {
  const auto value = parse_integer(text);
  if (!value) {
    throw ConfigError("{} must be a whole number from {} to {}, found {}{}", subject, range.least,
                      range.most, quote_printable(text), note);
  }
  if (*value < range.least) {
    throw ConfigError("{} must be at least {}, found {}", subject, range.least,
                      quote_printable(text));
  }
  if (*value > range.most) {
    throw ConfigError("{} must be at most {}, found {}", subject, range.most,
                      quote_printable(text));
  }
  return *value;
}

std::int64_t require_bytes(std::string_view subject, std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  std::string_view number = text, unit;
  if (const auto end = text.find_first_not_of("0123456789."); end != std::string_view::npos) {
    number = text.substr(0, end);
    unit = text.substr(end);
  }
  // 0 of an unknown one: npos + 1.
  const auto power = unit.empty() ? 0 : kUnits.find(unit.front()) + 1;
  const std::string_view rest = unit.empty() ? unit : unit.substr(1);
  const bool known = unit.empty() || (power > 0 && (rest.empty() || rest == "B" || rest == "iB"));
  const std::optional<double> value = parse_real(number);
  double bytes = value.value_or(0);
  for (std::size_t i = 0; known && i < power; ++i)
    bytes *= rest == "iB" ? 1024 : 1000;
  if (!known || !(bytes >= 1) || bytes > 9e18)
    throw ConfigError("{} must be an amount of memory such as 40G or 512MiB, found {}", subject,
                      quote_printable(text));
  return static_cast<std::int64_t>(bytes);
}

std::string quote_printable(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (result.size() > kLongestQuote) return result + "...\"";
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c >= 0x20 && c < 0x7f) {
      result += c;
    } else {
      result += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result + '"';
}

std::string shown_text(std::string_view text) {
  const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  return plain ? without_middle(text) : quote_printable(text);
}

std::string_view list_separator(std::size_t index, std::size_t count) {
  if (index == 0) return "";
  return index + 1 == count ? " or " : ", ";
}

std::vector<std::string> distinct(const std::vector<std::string>& texts) {
  std::vector<std::string> once;
  for (const std::string& text : texts)
    if (!text.empty() && std::ranges::find(once, text) == once.end()) once.push_back(text);
  return once;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return line;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  auto lines = split_fields(text, "\n");
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (auto first = text.find_first_not_of(kBlanks); first != std::string_view::npos;) {
    const auto last = text.find_first_of(kBlanks, first);
    words.push_back(text.substr(first, last - first));
    first = text.find_first_not_of(kBlanks, last);
  }
  return words;
}

std::vector<std::string_view> split_fields(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> fields;
  for (;;) {
    const auto end = text.find_first_of(separators);
    fields.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text, std::string_view around) {
  const auto first = text.find_first_not_of(around);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(around) - first + 1);
}

std::pair<std::string_view, std::string_view> split_pair(std::string_view text, char separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  return {text.substr(0, at), text.substr(std::min(at + 1, text.size()))};
}

}  // namespace hpl
