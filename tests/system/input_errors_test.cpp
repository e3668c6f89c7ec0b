#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

struct BadLine {
  std::string name;
  int line;
  std::string text;
  int named_line;  ///< the line the message must name
};

void PrintTo(const BadLine& bad, std::ostream* out) {
  *out << "line " << bad.line << ": '" << bad.text << "'";
}

std::string name_of(const testing::TestParamInfo<BadLine>& info) {
  return info.param.name;
}

class BadLines : public XhplTest, public testing::WithParamInterface<BadLine> {};

TEST_P(BadLines, AreRefusedWithTheirNumberBeforeAnyRun) {
  std::vector<std::string> lines = lines_of({.orders = {20, 30}, .block_sizes = {4}});
  lines.at(static_cast<std::size_t>(GetParam().line) - 1) = GetParam().text;
  write_file("HPL.dat", join_lines(lines));
  EXPECT_TRUE(refused(mpirun(2), "line " + std::to_string(GetParam().named_line) + "([^0-9]|$)"));
}

INSTANTIATE_TEST_SUITE_P(Table, BadLines,
                         testing::Values(BadLine{"DeviceIsAWord", 4, "stdout", 4},       //
                                         BadLine{"NoOrder", 5, "0  # of N", 5},          //
                                         BadLine{"OrderCountIsAWord", 5, "two", 5},      //
                                         BadLine{"OrderIsNegative", 6, "20 -30 Ns", 6},  //
                                         BadLine{"OrderIsAWord", 6, "20 abc", 6},        //
                                         BadLine{"OrderHasAnExponent", 6, "20 1e3", 6},  //
                                         BadLine{"OrderHasAFraction", 6, "20 30.5", 6},  //
                                         BadLine{"OrderIsBeyond64Bits", 6,
                                                 "20 99999999999999999999", 6},
                                         BadLine{"OneOrderIsMissing", 6, "20", 6},           //
                                         BadLine{"CommentInPlaceOfAnOrder", 6, "20 Ns", 6},  //
                                         BadLine{"BlockIsZero", 8, "0 NBs", 8},              //
                                         BadLine{"BlockIsNegative", 8, "-3 NBs", 8},         //
                                         BadLine{"GridCountIsNegative", 10, "-1", 10},       //
                                         BadLine{"RowsAreZero", 11, "0", 11},                //
                                         BadLine{"ColumnsAreNegative", 12, "-2", 12},        //
                                         BadLine{"ThresholdIsAWord", 13, "sixteen", 13},     //
                                         BadLine{"ThresholdIsNoNumber", 13, "nan", 13},      //
                                         BadLine{"PfactIsAWord", 15, "abc", 15},             //
                                         BadLine{"StopIsZero", 17, "0", 17},                 //
                                         BadLine{"DivisorIsOne", 19, "1", 19},               //
                                         BadLine{"RfactIsEmpty", 21, "", 21},                //
                                         BadLine{"BroadcastIsAWord", 23, "ring", 23},        //
                                         BadLine{"DepthIsNegative", 25, "-1", 25},           //
                                         BadLine{"SwapThresholdIsAWord", 27, "many", 27},    //
                                         BadLine{"AlignmentIsAWord", 31, "eight", 31}),
                         name_of);

using BadFiles = XhplTest;

TEST_F(BadFiles, AMissingOneIsExplained) {
  const Outcome outcome = mpirun(2);
  ASSERT_EQ(outcome.exit_code, 2) << describe(outcome);
  const std::string said = outcome.output + outcome.errors;
  EXPECT_NE(said.find("HPL.dat"), std::string::npos) << describe(outcome);
  EXPECT_NE(said.find("--auto"), std::string::npos) << describe(outcome);
}

TEST_F(BadFiles, AMissingOneThatWasNamedIsNamed) {
  EXPECT_TRUE(refused(mpirun(2, {"--dat", "no-such.dat"}), "no-such\\.dat"));
}

TEST_F(BadFiles, ATruncatedOneIsRefusedWhereItEnds) {
  std::vector<std::string> lines = lines_of({});
  lines.resize(10);
  write_file("HPL.dat", join_lines(lines));
  EXPECT_TRUE(refused(mpirun(2), "line 11"));
}

TEST_F(BadFiles, AnEmptyOneIsRefused) {
  write_file("HPL.dat", "");
  EXPECT_TRUE(refused(mpirun(1), "HPL\\.dat"));
}

TEST_F(BadFiles, ADirectoryIsRefused) {
  EXPECT_TRUE(refused(mpirun(1, {"--dat", directory().string()}), "directory"));
}

TEST_F(BadFiles, AJsonFileThatCannotBeWrittenIsRefusedBeforeTheRuns) {
  write_dat({});
  EXPECT_TRUE(refused(mpirun(2, {"--json", "no/such/directory/run.json"}), "no/such/directory"));
}

TEST_F(BadFiles, AReportFileThatCannotBeWrittenIsRefusedBeforeTheRuns) {
  write_dat({.output_file = "no/such/directory/HPL.out", .device_out = 8});
  EXPECT_TRUE(refused(mpirun(2), "no/such/directory"));
}

}  // namespace
}  // namespace hpl::test
