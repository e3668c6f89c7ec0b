#include "manual/flag_texts.h"

#include <vector>

#include <gtest/gtest.h>

namespace hpl::manual {
namespace {

const std::vector<Flag> kFlags{
    {"--dat", "FILE", "read this file", {}, "Input"},
    {"-N,--N", "LIST", "orders: [0 or more]", {}, "Input"},
    {"--quiet", "", "say it's done", {}, "Output"},
    {"-k,--kind", "KIND", "fast, slow", {"fast", "slow"}, "Output"},
};

TEST(ManualOptions, AreTroffThatCanBeSearched) {
  const std::string text = manual_options(kFlags);
  EXPECT_NE(text.find(".SS Input\n.TP\n\\fB\\-\\-dat\\fR \\fIFILE\\fR\nread this file\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\\fB\\-N\\fR, \\fB\\-\\-N\\fR \\fILIST\\fR\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace hpl::manual
