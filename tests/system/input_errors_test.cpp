#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

/// A line of HPL.dat put in place of a good one, and the message it must give.
struct BadLine {
  std::string name;
  int line;
  std::string text;
  std::string message;  ///< after "HPL.dat line"
};

void PrintTo(const BadLine& bad, std::ostream* out) {
  *out << "line " << bad.line << ": '" << bad.text << "'";
}

std::string name_of(const testing::TestParamInfo<BadLine>& info) {
  return info.param.name;
}

/// The lines of standard error that the program wrote, not the launcher.
std::vector<std::string> own_lines(const Outcome& outcome) {
  std::vector<std::string> own;
  for (const std::string& line : split_lines(outcome.errors))
    if (line.starts_with("xhpl: ")) own.push_back(line);
  return own;
}

class BadLines : public XhplTest, public testing::WithParamInterface<BadLine> {};

TEST_P(BadLines, AreRefusedWithPlaceFieldAndTextBeforeAnyRun) {
  std::vector<std::string> lines = lines_of({.orders = {20, 30}, .block_sizes = {4}});
  lines.at(static_cast<std::size_t>(GetParam().line) - 1) = GetParam().text;
  write_file("HPL.dat", join_lines(lines));
  // Without mpirun, which takes two seconds to get over a job that did not end with 0.
  const Outcome outcome = alone({});
  EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
  EXPECT_EQ(outcome.output, "") << describe(outcome);
  EXPECT_EQ(own_lines(outcome),
            std::vector<std::string>{"xhpl: HPL.dat line " + GetParam().message})
      << describe(outcome);
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadLines,
    testing::Values(
        BadLine{
            "DeviceIsAWord", 4, "stdout",
            R"(4: device out must be 6 (stdout), 7 (stderr) or another number (the file), found "stdout")"},
        BadLine{"NoOrder", 5, "0  # of N",
                R"(5: the number of N values must be at least 1, found "0")"},
        BadLine{
            "OrderCountIsAWord", 5, "four",
            R"(5: the number of N values must be a whole number from 1 to 2147483647, found "four")"},
        BadLine{
            "CommentInPlaceOfAnOrder", 6, "20 Ns",
            R"(6: N must be a whole number from 0 to 1000000000, found "Ns" (value 2 of the 2 that line 5 asks for))"},
        BadLine{"OneOrderIsMissing", 6, "20", "6: N must have 2 values as line 5 says, found 1"},
        BadLine{"OrderIsAWord", 6, "abc",
                R"(6: N must be a whole number from 0 to 1000000000, found "abc")"},
        BadLine{"OrderHasAnExponent", 6, "1e3",
                R"(6: N must be a whole number from 0 to 1000000000, found "1e3")"},
        BadLine{"OrderIsNegative", 6, "-200 30", R"(6: N must be at least 0, found "-200")"},
        BadLine{"OrderIsBeyond32Bits", 6, "3000000000 30",
                R"(6: N must be at most 1000000000, found "3000000000")"},
        BadLine{
            "OrderIsBeyond64Bits", 6, "99999999999999999999",
            R"(6: N must be a whole number from 0 to 1000000000, found "99999999999999999999")"},
        BadLine{"AByteThatIsNoText", 6, std::string("2\0000 Ns", 6),
                R"(6: the file must be plain text, found the byte 0x00 in "2\x000 Ns")"},
        BadLine{"BlockIsZero", 8, "0 NBs", R"(8: NB must be at least 1, found "0")"},
        BadLine{"BlockIsNegative", 8, "-3 NBs", R"(8: NB must be at least 1, found "-3")"},
        BadLine{"BlockIsHalfAWord", 8, "12abc",
                R"(8: NB must be a whole number from 1 to 1000000000, found "12abc")"},
        BadLine{"BlockHasAFraction", 8, "64.5",
                R"(8: NB must be a whole number from 1 to 1000000000, found "64.5")"},
        BadLine{"MappingIsAWord", 9, "col",
                R"(9: PMAP must be 0 (row-major) or 1 (column-major), found "col")"},
        BadLine{"GridCountIsNegative", 10, "-1",
                R"(10: the number of P and Q values must be at least 1, found "-1")"},
        BadLine{"RowsAreZero", 11, "0", R"(11: P must be at least 1, found "0")"},
        BadLine{"ColumnsAreNegative", 12, "-2", R"(12: Q must be at least 1, found "-2")"},
        BadLine{"ThresholdIsAWord", 13, "abc",
                R"(13: threshold must be a real number such as 16.0, found "abc")"},
        BadLine{"ThresholdIsNoNumber", 13, "nan",
                R"(13: threshold must be a real number such as 16.0, found "nan")"},
        BadLine{"ThresholdHasAComma", 13, "16,0",
                R"(13: threshold must be a real number such as 16.0, found "16,0")"},
        BadLine{"PfactIsALetter", 15, "C",
                R"(15: PFACT must be 0 (left), 1 (Crout) or 2 (right), found "C")"},
        BadLine{"StopIsZero", 17, "0", R"(17: NBMIN must be at least 1, found "0")"},
        BadLine{"DivisorIsOne", 19, "1", R"(19: NDIV must be at least 2, found "1")"},
        BadLine{"RfactIsEmpty", 21, "", "21: RFACT must have 1 value as line 20 says, found 0"},
        BadLine{
            "BroadcastIsAWord", 23, "ring",
            R"(23: BCAST must be 0 (1ring), 1 (1ringM), 2 (2ring), 3 (2ringM), 4 (long) or 5 (longM), found "ring")"},
        BadLine{"DepthIsNegative", 25, "-1", R"(25: DEPTH must be at least 0, found "-1")"},
        BadLine{
            "SwapThresholdIsAWord", 27, "many",
            R"(27: swapping threshold must be a whole number from 0 to 1000000000, found "many")"},
        BadLine{"AlignmentIsAWord", 31, "eight",
                R"(31: alignment must be a whole number from 1 to 65536, found "eight")"}),
    name_of);

using BadFiles = XhplTest;

TEST_F(BadFiles, AMistakeIsToldOnceByAJobOfSeveralRanks) {
  write_dat({.block_sizes = {0}});
  const Outcome outcome = mpirun(3);
  EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
  EXPECT_EQ(own_lines(outcome).size(), 1U) << describe(outcome);
}

TEST_F(BadFiles, AMissingOneIsExplained) {
  const Outcome outcome = mpirun(2);
  ASSERT_EQ(outcome.exit_code, 2) << describe(outcome);
  ASSERT_EQ(own_lines(outcome).size(), 1U) << describe(outcome);
  for (const char* const word : {"HPL.dat", "--auto", "-N"})
    EXPECT_NE(own_lines(outcome).front().find(word), std::string::npos) << describe(outcome);
}

TEST_F(BadFiles, AMissingOneThatWasNamedIsNamed) {
  EXPECT_TRUE(refused(mpirun(2, {"--dat", "no-such.dat"}), "no-such\\.dat"));
}

TEST_F(BadFiles, ATruncatedOneIsRefusedWhereItEnds) {
  std::vector<std::string> lines = lines_of({});
  lines.resize(16);
  write_file("HPL.dat", join_lines(lines));
  EXPECT_TRUE(refused(mpirun(2),
                      "HPL\\.dat line 17: NBMIN is missing, the file ends after line 16; HPL\\.dat "
                      "has 31 lines"));
}

TEST_F(BadFiles, GridsLargerThanTheJobAreRefusedWithBothNumbers) {
  write_dat({.grid_rows = {2, 1}, .grid_columns = {2, 8}});
  EXPECT_TRUE(refused(mpirun(4),
                      "HPL\\.dat lines 11 and 12: P x Q must be at most the number of ranks, 4, "
                      "found 1 x 8 = 8; start mpirun with more ranks, or give smaller grids "
                      "\\(-P, -Q\\) or --grid auto"));
}

TEST_F(BadFiles, AnEmptyOneIsRefused) {
  write_file("HPL.dat", "");
  EXPECT_TRUE(refused(mpirun(1), "HPL\\.dat line 3"));
}

TEST_F(BadFiles, ADirectoryIsRefused) {
  EXPECT_TRUE(refused(mpirun(1, {"--dat", directory().string()}), "directory"));
}

TEST_F(BadFiles, AMatrixThatDoesNotFitIsRefusedWithTheOrderThatDoes) {
  write_dat({.orders = {50, 1'000'000'000}});
  EXPECT_TRUE(refused(mpirun(1), "largest N that fits"));
}

}  // namespace
}  // namespace hpl::test
