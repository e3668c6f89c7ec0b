// The house as docs/architecture.md shows it, held against what the sources include.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/test_files.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

/// A folder of the house: "lu/panel", "hpcx/gpu".
using Folder = std::string;
/// The folders that each folder includes, and one place of each.
using Graph = std::map<Folder, std::map<Folder, std::string>>;

/// A wing includes only what stands on a lower floor. From the ground up.
const std::vector<std::set<std::string>> kFloors{
    {"base", "hpcx"},
    {"input", "comm"},
    {"lu"},
    {"machine"},
    {"report"},
    {"job"},
    {"plan"},
    {"check"},
    {"rates"},
    {"run"},
    {"fleet", "tune", "predict"},
    {"compare"},
    {"page"},
    {"export", "submit"},
    {"commands", "lab"},
};

std::size_t floor_of(const std::string& wing) {
  const auto floor =
      std::ranges::find_if(kFloors, [&](const auto& wings) { return wings.contains(wing); });
  return static_cast<std::size_t>(floor - kFloors.begin());  // of an unknown one: above all
}

/// The first `count` folders of a path, joined.
std::string first_parts(const fs::path& path, int count) {
  std::string text;
  for (const fs::path& part : path) {
    if (count-- == 0) break;
    text += (text.empty() ? "" : "/") + part.string();
  }
  return text;
}

struct House {
  fs::path root;  // of the checkout

  /// Folder of a file below src, include/hpl or hpcx.
  Folder folder_of(const fs::path& file) const {
    const fs::path path = fs::relative(file, root);
    const std::string top = first_parts(path, 1);
    if (top == "src") return first_parts(fs::relative(path.parent_path(), "src"), 2);
    if (top == "include") return first_parts(fs::relative(path.parent_path(), "include/hpl"), 2);
    const Folder folder = path.parent_path().string();
    return folder == "hpcx/include/hpcx" ? "hpcx/include" : folder;
  }

  /// The file that an #include of ours means; empty of a library's.
  fs::path included(const fs::path& by, const std::string& name) const {
    for (const fs::path& place :
         {by.parent_path(), root / "include", root / "src", root / "hpcx/include", root / "hpcx",
          root / "hpcx/vendor/cuda", root / "lab", root})
      if (fs::exists(place / name)) return fs::weakly_canonical(place / name);
    return {};
  }

  Graph graph() const {
    static const std::regex include_line("#include \"([^\"]+)\"");
    Graph result;
    for (const fs::path& path : test::files_below(
             {"src", "include/hpl", "hpcx", "lab/gemm", "lab/bench", "lab/ladder", "lab/models"},
             {".h", ".cpp", ".cu"})) {
      std::ifstream file(path);
      for (std::string line; std::getline(file, line);) {
        std::smatch match;
        if (!line.starts_with("#include \"") || !std::regex_search(line, match, include_line))
          continue;
        const fs::path header = included(path, match[1]);
        if (header.empty()) continue;
        const Folder from = folder_of(path), to = folder_of(header);
        if (from != to) result[from].emplace(to, fs::relative(path, root).string() + ": " + line);
      }
    }
    return result;
  }
};

House house() {
  return {test::source_directory()};
}

std::string wing_of(const Folder& folder) {
  return folder.substr(0, folder.find('/'));
}

/// A way along arrows from `from` back to `target`; empty where there is none.
std::vector<Folder> way_back(const Graph& graph, const Folder& from, const Folder& target,
                             std::set<Folder>& seen) {
  const auto node = graph.find(from);
  if (node == graph.end()) return {};
  for (const auto& [to, place] : node->second) {
    if (to == target) return {to};
    if (!seen.insert(to).second) continue;
    std::vector<Folder> rest = way_back(graph, to, target, seen);
    if (rest.empty()) continue;
    rest.insert(rest.begin(), to);
    return rest;
  }
  return {};
}

TEST(IncludeGraph, SeesTheSources) {
  const Graph graph = house().graph();
  EXPECT_TRUE(graph.at("lu/pipeline").contains("lu/schedule"));
  EXPECT_TRUE(graph.at("hpcx/panel").contains("hpcx/gpu"));
  for (std::size_t floor = 1; floor < kFloors.size(); ++floor)
    for (const std::string& wing : kFloors[floor])
      EXPECT_TRUE(std::ranges::any_of(graph, [&](const auto& node) {
        return wing_of(node.first) == wing;
      })) << wing;
}

TEST(IncludeGraph, AWingIncludesOnlyWhatStandsBelowIt) {
  for (const auto& [from, arrows] : house().graph())
    for (const auto& [to, place] : arrows) {
      const std::string wing = wing_of(from), other = wing_of(to);
      ASSERT_LT(floor_of(wing), kFloors.size()) << from << " stands on no floor";
      EXPECT_TRUE(wing == other || floor_of(other) < floor_of(wing))
          << wing << " may not include " << other << "\n  " << place;
    }
}

/// Sources, tests and build files; HPL_LAB and the folder stand in CMakeLists.txt alone.
TEST(IncludeGraph, TheHouseNamesNothingOfTheLaboratory) {
  static const std::regex of_lab(R"re(["/ ]lab/|"gemm/)re");
  std::size_t seen = 0;
  for (const fs::path& path : test::files_below({"src", "include", "hpcx", "tests", "packaging"},
                                                {".h", ".cpp", ".cu", ".js", ".txt", ".in"})) {
    if (path.parent_path().filename() == "structure") continue;
    ++seen;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (line.find("lab/") != std::string::npos || line.find("gemm/") != std::string::npos) {
        EXPECT_FALSE(std::regex_search(line, of_lab)) << path << ": " << line;
      }
  }
  EXPECT_GT(seen, 500U);
}

TEST(IncludeGraph, TheTableInTheDocsIsTheRule) {
  std::vector<std::set<std::string>> table(kFloors.size());
  std::ifstream page(house().root / "docs/architecture.md");
  static const std::regex row(R"(\| (\d+) \| `(\w+)` \|.*)");
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    table.at(std::stoul(match[1]) - 1).insert(match[2]);
  }
  EXPECT_EQ(table, kFloors);
}

/// A program that links two types of one name takes the one for the other.
TEST(IncludeGraph, NoTwoHeadersOfTheHouseDefineATypeOfOneName) {
  static const std::regex definition("^(struct|class|enum class) (\\w+)[^;]*\\{");
  std::map<std::string, fs::path> defined;  // by name: the header
  for (const fs::path& path : test::files_below({"src", "include/hpl"}, {".h"})) {
    std::ifstream file(path);
    std::smatch match;
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(line, match, definition)) {
        EXPECT_EQ(defined.try_emplace(match[2], path).first->second, path) << match[2];
      }
  }
  EXPECT_GT(defined.size(), 300U);
}

TEST(IncludeGraph, FoldersMakeNoCircle) {
  const Graph graph = house().graph();
  for (const auto& [from, arrows] : graph) {
    std::set<Folder> seen;
    const std::vector<Folder> circle = way_back(graph, from, from, seen);
    std::string text = from;
    for (std::size_t i = 0; i < circle.size(); ++i) {
      const Folder& before = i == 0 ? from : circle[i - 1];
      text += "\n  -> " + circle[i] + "  (" + graph.at(before).at(circle[i]) + ")";
    }
    EXPECT_TRUE(circle.empty()) << text;
  }
}

TEST(IncludeGraph, TheDeviceLayerKnowsNothingOfThePanelThatStandsOnIt) {
  const Graph graph = house().graph();
  for (const Folder folder : {"hpcx/include", "hpcx/gpu", "hpcx/cpu", "hpcx/cuda", "hpcx/hip"}) {
    const auto node = graph.find(folder);
    if (node == graph.end()) continue;
    EXPECT_FALSE(node->second.contains("hpcx/panel")) << node->second.at("hpcx/panel");
  }
}

}  // namespace
}  // namespace hpl
