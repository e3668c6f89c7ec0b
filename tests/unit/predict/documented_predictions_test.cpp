// Predictions in the documentation are those of the program.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/text/text_value.h"
#include "predict/predicted_runs.h"
#include "support/test_files.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

/// A command of a page behind "$ xhpl predict ", and the lines below it up to the end of the block.
struct Example {
  std::string words, output;
};

std::vector<Example> examples_of(const fs::path& page) {
  const std::string begin = "$ xhpl predict ";
  std::vector<Example> examples;
  std::ifstream file(page);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(begin))
      examples.push_back({line.substr(begin.size()), ""});
    else if (inside && !line.starts_with("```"))
      examples.back().output += line + "\n";
    inside = line.starts_with(begin) || (inside && !line.starts_with("```"));
  }
  return examples;
}

std::string output_of(const std::string& words) {
  std::vector<std::string> arguments{"xhpl-predict"};
  for (const std::string_view word : split_words(words))
    arguments.emplace_back(word);
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(argument.c_str());
  const PredictOptions options =
      parse_predict_command_line(static_cast<int>(pointers.size()), pointers.data());
  return prediction_text(predict_runs(options, read_machine_file(options.machine.string())));
}

TEST(Documentation, HoldsWhatIsPredicted) {
  const std::vector<Example> examples =
      examples_of(fs::path(test::source_directory()) / "docs" / "cluster.md");
  EXPECT_EQ(examples.size(), 2U);
  for (const Example& example : examples) {
    const std::string output = output_of(example.words);
    EXPECT_EQ(example.output, output) << "docs/cluster.md: xhpl predict " << example.words;
    for (const std::string_view line : split_lines(output))
      EXPECT_LE(line.size(), 80U) << line;
  }
}

}  // namespace
}  // namespace hpl
