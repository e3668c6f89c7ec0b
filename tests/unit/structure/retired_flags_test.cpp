// Nobody names a flag of xhpl that is gone, but for the table that says what took its place.
#include "input/command_line/retired_flags.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/test_files.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

/// Another program has a flag of that name. `where`: part of the line or of the file's path.
struct OtherFlag {
  std::string_view name, where;
};
constexpr std::array<OtherFlag, 8> kOtherFlags{{
    {"--check", "scripts/setup"},
    {"--check", "scripts/figures"},
    {"--check", "scripts/plant-faults"},
    {"--check", "emulation"},
    {"--dry-run", "scripts/lint"},
    {"--dry-run", "eb --dry-run"},
    {"--host-share", "gemm"},
    {"--host-share", "lab/tests/unit/options_test"},
}};

/// The table, and the tests of how the parser answers such flags.
bool may_name_them(const std::string& path) {
  return path.ends_with("/retired_flags_test.cpp") ||
         path.find("input/command_line/") != std::string::npos;
}

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

/// Words of a line that begin with two dashes.
std::vector<std::string> long_flags(const std::string& line) {
  std::vector<std::string> flags;
  for (std::size_t at = 0; (at = line.find("--", at)) != std::string::npos;) {
    const std::size_t begin = at;
    while (at < line.size() && is_letter(line[at]))
      ++at;
    if (begin == 0 || !is_letter(line[begin - 1])) flags.push_back(line.substr(begin, at - begin));
  }
  return flags;
}

bool is_of_another_program(const std::string& flag, const std::string& path,
                           const std::string& line) {
  return std::ranges::any_of(kOtherFlags, [&](const OtherFlag& other) {
    return other.name == flag && (line.find(other.where) != std::string::npos ||
                                  path.find(other.where) != std::string::npos);
  });
}

/// Sources, scripts, recipes and pages; the changelog tells of flags that are gone.
std::vector<fs::path> files_of(const fs::path& root) {
  std::vector<fs::path> files =
      test::files_below({".ci", ".github", "config", "docs", "hpcx", "include", "lab", "packaging",
                         "scripts", "src", "tests"});
  for (const char* const file : {"README.md", "CONTRIBUTING.md", "CMakeLists.txt"})
    files.push_back(root / file);
  return files;
}

TEST(RetiredFlags, AreNamedNowhere) {
  const fs::path root = test::source_directory();
  std::size_t seen = 0;
  for (const fs::path& file : files_of(root)) {
    const std::string path = fs::relative(file, root).string();
    if (may_name_them(path)) continue;
    std::ifstream stream(file);
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      for (const std::string& flag : long_flags(line)) {
        ++seen;
        const auto* const retired = std::ranges::find(kRetiredFlags, flag, &RetiredFlag::name);
        if (retired == kRetiredFlags.end() || is_of_another_program(flag, path, line)) continue;
        ADD_FAILURE() << path << ":" << number << ": " << flag << " is now " << retired->instead;
      }
    }
  }
  EXPECT_GT(seen, 1000U);
}

}  // namespace
}  // namespace hpl
