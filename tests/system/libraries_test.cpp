#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

/// Libraries that are not those the program was linked with.
class Libraries : public XhplTest {};

TEST_F(Libraries, ABlasInFrontOfTheLinkedOneIsTheOneReported) {
  const Outcome linked = alone({"--version"});
  const Outcome other = run({.words = {HPL_XHPL_PATH, "--version"},
                             .directory = directory(),
                             .environment = {{"LD_PRELOAD", HPL_OTHER_BLAS}}});
  const auto line = [](const Outcome& outcome) {
    for (const std::string& text : split_lines(outcome.output))
      if (text.starts_with("BLAS")) return text;
    return describe(outcome);
  };
  EXPECT_EQ(line(linked).find(HPL_OTHER_BLAS), std::string::npos) << line(linked);
  EXPECT_NE(line(other).find("CBLAS of " HPL_OTHER_BLAS), std::string::npos) << line(other);
  EXPECT_EQ(line(other).find("OpenBLAS"), std::string::npos) << line(other);
}

}  // namespace
}  // namespace hpl::test
