#include "hpl/base/record/program_info.h"

#include <gtest/gtest.h>

#include "hpl/base/record/record.h"

namespace hpl {
namespace {

TEST(ProgramInfo, ItsCommandIsOneThatAShellUnderstands) {
  EXPECT_EQ(command_text({"xhpl", "-N", "1000,2k", "--label", "a=it's", ""}),
            "xhpl -N 1000,2k --label 'a=it'\\''s' ''");
}

TEST(ProgramInfo, ShowsOnlyTheFactsThatAreKnown) {
  EXPECT_TRUE(facts_of({.name = "xhpl", .version = "1"}).empty());
  const ProgramInfo program{.name = "xhpl",
                            .version = "1",
                            .command = "xhpl -N 9",
                            .labels = {{"site", "north"}, {"rack", "7"}},
                            .job = BatchJob{"PBS", "12.head"}};
  EXPECT_EQ(facts_of(program), (NamedValues{{"labels", "site=north, rack=7"},
                                            {"job", "PBS job 12.head"},
                                            {"command", "xhpl -N 9"}}));
}

TEST(ProgramInfo, OfAnEarlierDocumentKnowsNothingOfTheStart) {
  const auto program =
      parse_document<ProgramInfo>("old.json", R"({"name": "xhpl", "version": "0.1.0"})", "xhpl");
  EXPECT_EQ(program.version, "0.1.0");
  EXPECT_TRUE(facts_of(program).empty());
  EXPECT_EQ(program.started.seconds, 0);
}

TEST(ProgramInfo, IsReadAsItWasWritten) {
  const ProgramInfo program{.name = "xhpl",
                            .version = "1",
                            .commit = "1a2b",
                            .command = "xhpl",
                            .labels = {{"site", "north"}},
                            .job = BatchJob{"LSF", "3"},
                            .started = {.seconds = 1.5e9, .zone_offset_seconds = 3600}};
  const std::string text = json_text(to_json_value(program));
  EXPECT_EQ(json_text(to_json_value(parse_document<ProgramInfo>("new.json", text, "xhpl"))), text);
}

}  // namespace
}  // namespace hpl
