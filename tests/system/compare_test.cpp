// xhpl compare on documents that jobs wrote.
#include <algorithm>
#include <filesystem>

#include "schema_test.h"

namespace hpl::test {
namespace {

using Compare = SchemaTest;

TEST_F(Compare, TellsTwoFleetsApartInEveryForm) {
  std::filesystem::create_directories(directory() / "may");
  std::filesystem::create_directories(directory() / "june");
  const std::vector<std::string> fleet{"fleet", "-N",       "200", "--NB",
                                       "32",    "--repeat", "3",   "--json"};
  for (const char* const file : {"may/fleet.json", "june/fleet.json"}) {
    std::vector<std::string> words = fleet;
    words.emplace_back(file);
    mpirun(2, words);  // a judge of so short runs may find anything
  }
  ASSERT_TRUE(all_passed(mpirun(1, {"-N", "100", "--json", "june/run.json"}), 1));
  const Outcome outcome = alone({"compare", "may", "june", "--csv", "both.csv", "--json",
                                 "both.json", "--page", "both.html"});
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_NE(outcome.output.find("Each device: N = 200, NB = 32"), std::string::npos)
      << describe(outcome);
  EXPECT_NE(outcome.output.find("Not compared: other runs\n  B  device: N = 100"),
            std::string::npos)
      << describe(outcome);
  EXPECT_EQ(std::ranges::count(read_file("both.csv"), '\n'), 5) << "two members on two sides";
  EXPECT_NE(read_file("both.html").find("<h1>What changed</h1>"), std::string::npos);
  const Outcome history = alone({"compare", "--history", ".", "-q"});
  EXPECT_EQ(history.exit_code, 0) << describe(history);
  if (const auto interpreter = python()) {
    EXPECT_TRUE(valid(*interpreter, "both.json", "comparison.schema.json"));
  }
}

TEST_F(Compare, RefusesBadInputWithOneMessage) {
  ASSERT_TRUE(all_passed(mpirun(1, {"-N", "60", "--json", "run.json"}), 1));
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"compare", "run.json"},
       "name two reports or folders to compare, or one folder with --history, found \"run.json\""},
      {{"compare", "run.json", "run.json", "--fail-below", "2%"},
       "--fail-below must be a loss such as -2%, from -100% to below 0, found \"2%\""},
      {{"compare", "run.json", "none.json"},
       "none.json: cannot be read: No such file or directory"},
      {{"compare", "run.json", "run.json", "--json", "run.json"}, "run.json"},
  };
  for (const auto& [words, message] : cases) {
    const Outcome outcome = alone(words);
    EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
    EXPECT_NE(outcome.errors.find(message), std::string::npos) << describe(outcome);
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << describe(outcome);
  }
}

}  // namespace
}  // namespace hpl::test
