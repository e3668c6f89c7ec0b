#include "hpl/machine/host/text_file.h"

#include <fstream>
#include <iterator>

namespace hpl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

std::optional<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return std::nullopt;
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) {
    return std::nullopt;
  }
  return text;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  auto lines = split_fields(text, '\n');
  if (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
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

std::vector<std::string_view> split_fields(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const auto end = text.find(separator);
    fields.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return fields;
    }
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace hpl
