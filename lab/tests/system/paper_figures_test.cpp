#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class PaperFigures : public XhplTest {
 protected:
  Outcome draw(std::vector<std::string> words) {
    words.insert(words.begin(), {HPL_LAB_SCRIPTS_DIR "/paper-figures", "--out", "figures"});
    return run({.words = std::move(words), .directory = directory(), .environment = {}});
  }
  /// Figure 6 by runs without a launcher.
  Outcome draw_figure_6(const std::string& orders) {
    return draw({"--build", std::filesystem::path(HPL_XHPL_PATH).parent_path().string(),
                 "--figures", "6", "--launcher", "", "--nb", "16", "--orders", orders, "--other",
                 "none=false"});
  }
};

TEST_F(PaperFigures, KeepWhatWasMeasuredAndMakeOnlyWhatIsMissing) {
  const Outcome first = draw_figure_6("60");
  EXPECT_EQ(first.exit_code, 1) << "the other HPL fails: " << describe(first);
  const std::string picture = read_file("figures/figure6.svg");
  for (const char* const series : {"three-stage", "coarse", "fine"})
    EXPECT_NE(picture.find(series), std::string::npos) << series;
  const auto lines = [this] {
    const std::string table = read_file("figures/runs.csv");
    return std::count(table.begin(), table.end(), '\n');
  };
  EXPECT_EQ(lines(), 5);

  const Outcome second = draw_figure_6("60,80");
  EXPECT_EQ(second.errors.find("fine, N = 60"), std::string::npos) << describe(second);
  EXPECT_NE(second.errors.find("fine, N = 80"), std::string::npos) << describe(second);
  EXPECT_NE(second.errors.find("none, N = 60, 1 x 1 failed"), std::string::npos)
      << "what failed is tried again: " << describe(second);
  EXPECT_EQ(lines(), 9);
}

TEST_F(PaperFigures, RefuseBadInput) {
  EXPECT_EQ(draw({"--grids", "2by3"}).exit_code, 2);
  EXPECT_EQ(draw({"--figures", "5"}).exit_code, 2);
  const Outcome outcome = draw({"--build", "nowhere"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.errors.find("nowhere/xhpl is not there"), std::string::npos)
      << describe(outcome);
  write_file("figures/runs.csv", "n,gflops\n");
  EXPECT_EQ(
      draw({"--build", std::filesystem::path(HPL_XHPL_PATH).parent_path().string()}).exit_code, 2);
  EXPECT_EQ(read_file("figures/runs.csv"), "n,gflops\n");
}

class ThreeCores : public XhplTest {
 protected:
  Outcome bind(std::vector<std::string> words) {
    words.insert(words.begin(), HPL_LAB_SCRIPTS_DIR "/xhpl-three-cores");
    return run({.words = std::move(words), .directory = directory(), .environment = {}});
  }
};

TEST_F(ThreeCores, WantABindingAndACommand) {
  EXPECT_EQ(bind({"paper"}).exit_code, 2);
  EXPECT_EQ(bind({"both", HPL_XHPL_PATH}).exit_code, 2);
}

TEST_F(ThreeCores, BindTheWorkersOfARunAndPassExitCodesOn) {
  if (run({.words = {"sh", "-c", "test $(nproc) -ge 3"},
           .directory = directory(),
           .environment = {}})
          .exit_code != 0)
    GTEST_SKIP() << "fewer than three cores";
  const Outcome outcome =
      bind({"paper", HPL_XHPL_PATH, "--device", "cpu", "-N", "3000", "--NB", "64", "-P", "1", "-Q",
            "1", "--pipeline", "fine", "--no-check", "--no-attainable"});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_EQ(outcome.errors.find("no worker was found"), std::string::npos) << describe(outcome);
  for (const char* how : {"paper", "system"})
    EXPECT_EQ(bind({how, "sh", "-c", "exit 7"}).exit_code, 7) << how;
}

}  // namespace
}  // namespace hpl::test
