#include "hpl/predict/predict_options.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl {
namespace {

PredictOptions parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "xhpl-predict");
  return parse_predict_command_line(static_cast<int>(words.size()), words.data());
}
std::string refusal(const std::vector<const char*>& words) {
  return test::message_of<ConfigError>([&] { parsed(words); });
}

TEST(PredictOptions, ReadsListsAndScenarios) {
  const PredictOptions options =
      parsed({"h200.json", "--nodes", "8,64", "--what-if", "nic=400Gb", "--what-if=link=900GB",
              "-N", "1000,2000", "--model", "all", "--json", "out.json"});
  EXPECT_EQ(options.machine, "h200.json");
  EXPECT_EQ(options.nodes, (std::vector{8, 64}));
  EXPECT_EQ(options.what_ifs, (std::vector<std::string>{"nic=400Gb", "link=900GB"}));
  EXPECT_EQ(options.orders, (std::vector<std::int64_t>{1000, 2000}));
  EXPECT_EQ(options.model, ModelRequest::All);
  EXPECT_EQ(options.json_file, "out.json");
}

TEST(PredictOptions, RefusesWhatItCannotHonour) {
  EXPECT_EQ(refusal({}), "no machine is given; name its rates or its data sheet, or give --top500");
  EXPECT_EQ(refusal({"a.json", "--nodes", "0"}), "--nodes must be at least 1, found \"0\"");
  EXPECT_EQ(refusal({"a.json", "--model", "overlapped"}),
            "--model must be auto, paper, sampled, simulated or all, found \"overlapped\"");
  EXPECT_EQ(refusal({"a.json", "--frobnicate"}),
            "unknown argument \"--frobnicate\"; xhpl-predict --help shows every flag");
  EXPECT_EQ(refusal({"a.json", "--top500", "list.csv", "--sheets", "d"}),
            "--top500 takes its machines from data sheets (--sheets), found \"a.json\"");
}

TEST(PredictOptions, HelpShowsEveryFlag) {
  const std::string help = parsed({"--help"}).text;
  for (const char* flag :
       {"--nodes", "--what-if", "--top500", "--sheets", "--dat", "--model", "--matrix", "--json"})
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
}

}  // namespace
}  // namespace hpl
