#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpcx/backend.h"
#include "hpl/input/run_spec/field_rules.h"

// The tables of what can be chosen are the one place for their words. The schema cannot be made
// from them, so it is compared with them here.

namespace hpl {
namespace {

using Words = std::vector<std::string>;

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(HPL_DOCS_DIR) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All lists of allowed values in a schema that hold `word`.
void find_lists(const nlohmann::json& schema, const std::string& word, std::vector<Words>& found) {
  if (schema.is_object() && schema.contains("enum")) {
    const nlohmann::json& allowed = schema["enum"];
    if (std::find(allowed.begin(), allowed.end(), word) != allowed.end())
      found.push_back(allowed.get<Words>());
  }
  if (schema.is_structured())
    for (const nlohmann::json& part : schema)
      find_lists(part, word, found);
}

template <class Table>
void expect_in_schema(const Table& table) {
  const nlohmann::json schema = nlohmann::json::parse(text_of("schema/run.schema.json"));
  Words names = choice_names(table);
  std::vector<Words> lists;
  find_lists(schema, names.back(), lists);
  EXPECT_FALSE(lists.empty()) << names.back();
  std::ranges::sort(names);
  for (Words& list : lists) {
    std::ranges::sort(list);
    EXPECT_EQ(list, names);
  }
}

TEST(WordsOfTheSchema, AreThoseOfTheTables) {
  expect_in_schema(kBroadcastVariants);
  expect_in_schema(kPanelVariants);
  expect_in_schema(hpcx::kBackends);
}

}  // namespace
}  // namespace hpl
