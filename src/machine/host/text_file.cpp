#include "hpl/machine/host/text_file.h"

#include <fstream>
#include <iterator>

namespace hpl {

std::optional<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return std::nullopt;
  return text;
}

std::string_view keyed_value(std::string_view text, std::string_view key, char separator) {
  for (const auto line : split_lines(text)) {
    const std::size_t at = line.find(separator);
    if (at != std::string_view::npos && trimmed(line.substr(0, at)) == key)
      return trimmed(line.substr(at + 1));
  }
  return {};
}

}  // namespace hpl
