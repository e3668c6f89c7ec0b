#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/input/plan/plan.h"
#include "sample_hpl_dat.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace hpl {
namespace {

class HplDatFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return directory_.write(name, text);
  }
  static std::string error_of(const std::filesystem::path& path) {
    return test::message_of<ConfigError>([&] { read_hpl_dat(path); });
  }

  test::TemporaryDirectory directory_;
};

TEST_F(HplDatFile, IsReadFromDisk) {
  EXPECT_EQ(read_hpl_dat(write("HPL.dat", test::join(test::kNetlibExample))),
            parse_hpl_dat(test::join(test::kNetlibExample), "HPL.dat"));
}

TEST_F(HplDatFile, IsNamedInMessages) {
  EXPECT_EQ(error_of(write("site.dat", test::example_with(19, "1"))),
            "site.dat line 19: NDIV must be at least 2, found \"1\"");
  EXPECT_EQ(error_of(write("a\nb", test::example_with(19, "1"))),
            "\"a\\x0Ab\" line 19: NDIV must be at least 2, found \"1\"");
}

TEST_F(HplDatFile, ThatIsMissingIsReportedWithWhatToDo) {
  const auto message = error_of(directory_ / "HPL.dat");
  EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
  EXPECT_NE(message.find("--auto"), std::string::npos) << message;
}

TEST_F(HplDatFile, ThatIsADirectoryOrTooLargeIsRefused) {
  EXPECT_NE(error_of(directory_.path()).find("is a directory"), std::string::npos);
  const auto large = write("core", std::string((1u << 20) + 1, ' '));
  EXPECT_NE(error_of(large).find("larger than 1048576 bytes"), std::string::npos);
}

TEST_F(HplDatFile, OfTheRepositoryIsValid) {
  const auto dat = read_hpl_dat(HPL_EXAMPLE_FILE);
  EXPECT_TRUE(dat.remarks.empty());
  EXPECT_EQ(plan_runs(dat).size(), 1u);
  EXPECT_NO_THROW(validate_grid(dat, 2));
}

TEST(WriteHplDat, GivesAFileThatReadsBackTheSame) {
  auto dat = parse_hpl_dat(test::join(test::kNetlibExample), "HPL.dat");
  EXPECT_EQ(parse_hpl_dat(write_hpl_dat(dat), "HPL.dat"), dat);

  dat.output_file = "r,1.txt";
  dat.output_device = OutputDevice::File;
  dat.orders.assign(300, 1'000'000'000);
  dat.rank_order = RankOrder::ColumnMajor;
  dat.threshold = 0.1;
  dat.broadcasts = {BroadcastVariant::LongM, BroadcastVariant::Ring1};
  dat.swap = SwapVariant::BinaryExchange;
  dat.swap_threshold = 0;
  dat.transposed_l1 = dat.transposed_u = dat.equilibrate = false;
  dat.alignment = 16;
  EXPECT_EQ(parse_hpl_dat(write_hpl_dat(dat), "HPL.dat"), dat);
}

TEST(WriteHplDat, WritesTheFallbackThatWasUsed) {
  auto dat = parse_hpl_dat(test::example_with(31, "-1"), "HPL.dat");
  ASSERT_EQ(dat.remarks.size(), 1u);
  dat.remarks.clear();
  EXPECT_EQ(parse_hpl_dat(write_hpl_dat(dat), "HPL.dat"), dat);
}

TEST(WriteHplDat, HasThirtyOneLines) {
  const auto text = write_hpl_dat(parse_hpl_dat(test::join(test::kNetlibExample), "HPL.dat"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 31);
}

TEST(WriteHplDat, RefusesAFileNameThatIsNotOneWord) {
  auto dat = parse_hpl_dat(test::join(test::kNetlibExample), "HPL.dat");
  dat.output_file = "my report.txt";
  EXPECT_THROW(write_hpl_dat(dat), ConfigError);
}

TEST(HplDatDifference, IsTheFirstLineThatAsksForSomethingElse) {
  HplDat one = default_hpl_dat();
  one.orders = {1000, 2000};
  one.grid_rows = {1};
  one.grid_columns = {2};
  EXPECT_FALSE(first_difference(one, one));
  HplDat other = one;
  other.orders = {1000, 3000};
  other.alignment = 16;
  const auto found = first_difference(one, other);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 6);
  EXPECT_EQ(found->field, "Ns");
  EXPECT_EQ(found->one, "1000 2000");
  EXPECT_EQ(found->other, "1000 3000");
}

TEST(HplDatDifference, LooksAtTheLastLineToo) {
  HplDat one = default_hpl_dat();
  one.orders = {1000};
  one.grid_rows = one.grid_columns = {1};
  HplDat other = one;
  other.alignment = 16;
  const auto found = first_difference(one, other);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 31);
  EXPECT_EQ(found->field, "alignment");
}

}  // namespace
}  // namespace hpl
