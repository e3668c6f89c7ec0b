#include "gemm/application/options.h"

#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl::gemm {
namespace {

GemmOptions parse(std::vector<const char*> words) {
  words.insert(words.begin(), "xhpl-gemm");
  return parse_gemm_command_line(static_cast<int>(words.size()), words.data());
}

std::string refusal(const std::vector<const char*>& words) {
  return test::message_of<ConfigError>([&] { parse(words); });
}

TEST(GemmOptions, PairRowsWithColumnsAndTakeEveryDepth) {
  const auto shapes = parse({"-m", "100,200", "-k", "10,20"}).shapes;
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[1].rows, 100);
  EXPECT_EQ(shapes[1].cols, 100);
  EXPECT_EQ(shapes[1].depth, 20);
  EXPECT_EQ(shapes[2].rows, 200);
  const auto wide = parse({"-m", "100", "-n", "7,8", "-k", "10"}).shapes;
  ASSERT_EQ(wide.size(), 2U);
  EXPECT_EQ(wide[1].rows, 100);
  EXPECT_EQ(wide[1].cols, 8);
  EXPECT_TRUE(parse({}).shapes.empty());
}

TEST(GemmOptions, SortVariantsAndNameThemOnce) {
  EXPECT_EQ(parse({}).variants.size(), 5U);
  EXPECT_EQ(parse({"--variant", "all"}).variants.size(), 5U);
  EXPECT_EQ(parse({"--variant", "dp,plain,dp"}).variants,
            (std::vector{Variant::Plain, Variant::DataPlacement}));
}

TEST(GemmOptions, KnowTheHostsShare) {
  EXPECT_TRUE(parse({}).host_takes_part);
  EXPECT_FALSE(parse({"--host-share", "auto"}).host_fraction);
  EXPECT_EQ(parse({"--host-share", "0.25"}).host_fraction, 0.25);
  EXPECT_FALSE(parse({"--host-share", "0"}).host_takes_part);
}

TEST(GemmOptions, SayWhatIsWrong) {
  EXPECT_EQ(refusal({"-m", "0", "-k", "5"}), "-m must be at least 1, found \"0\"");
  EXPECT_EQ(refusal({"-m", "5"}),
            "-k is not given; the size of C = A B needs -m and -k (-n: as -m)");
  EXPECT_EQ(refusal({"-m", "5,6", "-n", "5,6,7", "-k", "5"}),
            "-m and -n go in pairs: found 2 of -m and 3 of -n");
  EXPECT_EQ(refusal({"--variant", "fast"}),
            "--variant must be plain, db, dr, dp or hb, found \"fast\"");
  EXPECT_EQ(refusal({"--host-share", "2"}),
            "--host-share must be auto, 0 or a part of the work of at most 1, found \"2\"");
  for (const char* factor : {"nan", "1e-320", "-1e-201", "1e201", "1e308"})
    for (const char* flag : {"--alpha", "--beta"})
      EXPECT_EQ(refusal({flag, factor}),
                std::string(flag) +
                    " must be 0 or a number of a size from 1e-200 to 1e+200, found \"" + factor +
                    "\"");
  EXPECT_EQ(refusal({"--device", "tpu"}), "--device must be auto, cpu, cuda or hip, found \"tpu\"");
  EXPECT_EQ(refusal({"--streams", "0"}), "--streams must be at least 1, found \"0\"");
  EXPECT_NE(refusal({"--device-memory", "much"}).find("--device-memory"), std::string::npos);
  EXPECT_EQ(refusal({"extra"}), "unknown argument \"extra\"; xhpl-gemm --help shows every flag");
  EXPECT_NE(refusal({"-k"}).find("-k"), std::string::npos);
}

TEST(GemmOptions, HelpNamesEveryFlag) {
  const std::string help = parse({"--help"}).text;
  for (const char* const flag :
       {"-m", "-n", "-k", "--variant", "--alpha", "--beta", "--piece", "--streams", "--device",
        "--devices", "--device-memory", "--host-share", "--host-threads", "--pageable", "--json",
        "--trace"})
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  EXPECT_EQ(parse({"--version"}).text.rfind("xhpl-gemm ", 0), 0U);
}

}  // namespace
}  // namespace hpl::gemm
