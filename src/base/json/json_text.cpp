#include "hpl/base/json/json_text.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

namespace {

/// The library's message about a text that is no JSON, without its own name: "line 2, column 5:
/// ...". Printable, for it quotes the text.
std::string parse_failure(const std::string& what) {
  const auto line = what.find("line ");
  std::string failure = what.substr(line == std::string::npos ? 0 : line, 160);
  std::replace_if(
      failure.begin(), failure.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return failure;
}

/// Above what any document has, below what would exhaust the stack: copies of values recurse.
constexpr int kDeepest = 64;
/// Above any document (10,000 ranks make some 10 MB a run), while it fits into memory in parts.
constexpr std::size_t kLargestFile = std::size_t{256} << 20;

}  // namespace

JsonCursor::Json parse_json(const std::string& name, std::string_view text,
                            std::string_view writer) {
  const auto check_depth = [&](int depth, JsonCursor::Json::parse_event_t,
                               const JsonCursor::Json&) {
    if (depth <= kDeepest) return true;
    throw ConfigError("{}: must be JSON as {} writes it, found more than {} levels", name, writer,
                      kDeepest);
  };
  try {
    return JsonCursor::Json::parse(text, check_depth);
  } catch (const JsonCursor::Json::exception& failure) {
    throw ConfigError("{}: must be JSON as {} writes it, found {}", name, writer,
                      parse_failure(failure.what()));
  }
}

std::string read_json_text(const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    throw ConfigError("{}: {}", shown_text(path), what);
  };
  const auto cannot_read = [&](int error) {
    refuse("cannot be read: " + std::generic_category().message(error));
  };
  // A directory can be opened, too.
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) cannot_read(EISDIR);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) cannot_read(errno != 0 ? errno : EIO);
  std::string text;
  // In pieces: a pipe has no size, and a device no end.
  std::vector<char> piece(std::size_t{1} << 20);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestFile)
      refuse(fmt::format("must be at most {} bytes, found more", kLargestFile));
  }
  if (file.bad()) cannot_read(EIO);
  return text;
}

}  // namespace hpl
