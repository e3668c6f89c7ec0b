// Names in the documentation exist: files and folders in backticks and in commands, link targets,
// headings.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/test_files.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

using test::text_of;

fs::path root() {
  return test::source_directory();
}

/// All pages, with README and CONTRIBUTING. The changelog tells of files that are gone.
std::vector<fs::path> pages_and_notes() {
  std::vector<fs::path> result = test::files_below({"docs", "hpcx", "lab", "packaging"}, {".md"});
  for (const char* const page : {"README.md", "CONTRIBUTING.md"})
    result.push_back(root() / page);
  std::sort(result.begin(), result.end());
  return result;
}

/// Pages of today. Notes are of their day: files and names in them may be gone.
std::vector<fs::path> pages() {
  std::vector<fs::path> result = pages_and_notes();
  std::erase_if(result,
                [](const fs::path& page) { return page.parent_path() == root() / "lab/notes"; });
  return result;
}

/// Text in backticks, a code block line by line.
std::vector<std::string> code_of(const std::string& page) {
  std::vector<std::string> result;
  std::istringstream lines(page);
  std::string prose;
  bool in_block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(' ') != std::string::npos &&
        line.compare(line.find_first_not_of(' '), 3, "```") == 0)
      in_block = !in_block;
    else if (in_block)
      result.push_back(line);
    else
      prose += line + " ";
  }
  static const std::regex span("`([^`]+)`");
  for (std::sregex_iterator match(prose.begin(), prose.end(), span), end; match != end; ++match)
    result.push_back((*match)[1]);
  return result;
}

/// Whether a word of code means a file or folder of the repository: it begins with one of its
/// folders, or is a source file. What the build, the installation and the user make does not.
bool is_path(const std::string& word) {
  static const std::regex of_repository(
      R"((src|include|hpcx|lab|tests|scripts|docs|config|packaging|\.ci|\.github)/[\w.*/-]*)");
  static const std::regex of_wing(R"((base|comm|input|lu|machine|report|job)/[\w.*/-]*)");
  static const std::regex source_file(R"([\w*/-]+\.(h|cpp|cu|cmake|md))");
  return std::regex_match(word, of_repository) || std::regex_match(word, of_wing) ||
         std::regex_match(word, source_file);
}

std::vector<std::string> paths_of(const std::string& code) {
  static const std::regex between("[\\s,;:()\"'=|]+");
  std::vector<std::string> result;
  for (std::sregex_token_iterator word(code.begin(), code.end(), between, -1), end; word != end;
       ++word)
    if (is_path(*word)) result.push_back(*word);
  return result;
}

bool matches(const fs::path& folder, const std::string& pattern) {
  std::string expression;
  for (const char letter : pattern)
    expression += letter == '*' ? "[^/]*" : letter == '.' ? "\\." : std::string(1, letter);
  const std::regex name(expression);
  if (!fs::is_directory(folder)) return false;
  return std::any_of(fs::directory_iterator(folder), fs::directory_iterator(), [&](const auto& e) {
    return std::regex_match(e.path().filename().string(), name);
  });
}

/// Paths stand as seen from the root, from src, from include/hpl, or from the folder of the page;
/// those of the device layer also from its headers and from a back end.
bool exists(const fs::path& page, const std::string& path) {
  std::vector<fs::path> bases{root(), root() / "src", root() / "include/hpl", page.parent_path()};
  if (page.parent_path() == root() / "hpcx")
    for (const char* folder : {"include/hpcx", "cuda", "vendor/cuda"})
      bases.push_back(page.parent_path() / folder);
  return std::any_of(bases.begin(), bases.end(), [&](const fs::path& base) {
    const fs::path full = base / path;
    return path.find('*') == std::string::npos
               ? fs::exists(full)
               : matches(full.parent_path(), full.filename().string());
  });
}

/// The anchors that a page's headings make.
std::set<std::string> anchors_of(const fs::path& page) {
  std::set<std::string> result;
  std::istringstream lines(text_of(page));
  bool in_block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) in_block = !in_block;
    if (in_block || !line.starts_with("#")) continue;
    std::string anchor;
    for (const char letter : line.substr(line.find_first_not_of("# ")))
      if (std::isalnum(static_cast<unsigned char>(letter)) || letter == '-' || letter == '_')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      else if (letter == ' ')
        anchor += '-';
    result.insert(anchor);
  }
  return result;
}

TEST(Documentation, EveryPathInCodeExists) {
  std::size_t seen = 0;
  for (const fs::path& page : pages())
    for (const std::string& code : code_of(text_of(page)))
      for (const std::string& path : paths_of(code)) {
        ++seen;
        EXPECT_TRUE(exists(page, path))
            << fs::relative(page, root()).string() << ": there is no " << path;
      }
  EXPECT_GT(seen, 50U);
}

TEST(Documentation, EveryNameInCodeExists) {
  std::string sources;
  for (const fs::path& file : test::files_below({"src", "include", "hpcx", "lab", "tests"}))
    if (file.extension() != ".md") sources += text_of(file);
  static const std::regex function(R"((?:\w+(?:::|\.))*(\w+\()\))");
  static const std::regex type(R"((?:\w+::)*((?:[A-Z][a-z0-9]+){2,})(?:::\w+)?)");
  std::size_t seen = 0;
  for (const fs::path& page : pages())
    for (const std::string& code : code_of(text_of(page))) {
      std::smatch match;
      if (!std::regex_match(code, match, function) && !std::regex_match(code, match, type))
        continue;
      ++seen;
      EXPECT_NE(sources.find(match[1]), std::string::npos)
          << fs::relative(page, root()).string() << ": there is no " << code;
    }
  EXPECT_GT(seen, 20U);
}

TEST(Documentation, EveryLinkHasItsTarget) {
  static const std::regex link(R"((?:\]\(|src(?:set)?=")([^)\s"]+))");
  std::size_t seen = 0;
  for (const fs::path& page : pages_and_notes()) {
    const std::string text = text_of(page);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      const std::string target = (*match)[1];
      if (target.find("://") != std::string::npos) continue;
      ++seen;
      const std::size_t hash = target.find('#');
      const fs::path file = hash == 0 ? page : page.parent_path() / target.substr(0, hash);
      const std::string where = fs::relative(page, root()).string() + ": ";
      EXPECT_TRUE(fs::exists(file)) << where << "there is no " << target;
      if (hash == std::string::npos || !fs::exists(file)) continue;
      EXPECT_TRUE(anchors_of(file).contains(target.substr(hash + 1)))
          << where << "no heading makes " << target;
    }
  }
  EXPECT_GT(seen, 30U);
}

TEST(Documentation, EveryPageThatAFileNamesExists) {
  static const std::regex page(R"(\b(?:docs|lab|hpcx)/[\w/-]+\.(?:md|svg|png|json|csv))");
  // The regular expression, a hundred times as slow, reads one line of 100.
  const auto may_name_one = [](const std::string& line) {
    for (const char* const end : {".md", ".svg", ".png", ".json", ".csv"})
      if (line.find(end) != std::string::npos) return line.find('/') != std::string::npos;
    return false;
  };
  std::size_t seen = 0;
  for (const fs::path& file : test::files_below(
           {"src", "include", "hpcx", "lab", "tests", "scripts", "config", "packaging"},
           {".h", ".cpp", ".cu", ".txt", ".cmake", ".py", ".sh", ""})) {
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) {
      if (!may_name_one(line)) continue;
      for (std::sregex_iterator match(line.begin(), line.end(), page), end; match != end; ++match) {
        ++seen;
        EXPECT_TRUE(fs::exists(root() / match->str()))
            << fs::relative(file, root()).string() << ": there is no " << match->str();
      }
    }
  }
  EXPECT_GT(seen, 3U);
}

TEST(Documentation, EveryDecisionIsInTheIndex) {
  const fs::path folder = root() / "docs/decisions";
  const std::string index = text_of(folder / "README.md");
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name == "README.md" || index.find("](" + name + ")") != std::string::npos) << name;
  }
}

}  // namespace
}  // namespace hpl
