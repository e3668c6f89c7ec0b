#include <algorithm>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using InputForms = XhplTest;

TEST_F(InputForms, WindowsLineEndsAreAccepted) {
  write_file("HPL.dat", join_lines(lines_of({.orders = {20, 30}}), "\r\n"));
  EXPECT_TRUE(all_passed(mpirun(1), 2));
}

TEST_F(InputForms, TabsBlanksAndCommasSeparateValues) {
  std::vector<std::string> lines = lines_of({.orders = {20, 30, 40}});
  lines[5] = "\t20,  30 ,\t 40\tNs";
  write_file("HPL.dat", join_lines(lines));
  const Outcome outcome = mpirun(1);
  ASSERT_TRUE(all_passed(outcome, 3));
  EXPECT_EQ(parse_report(outcome.output).runs.at(1).order, 30);
}

TEST_F(InputForms, LinesPastTheLastFieldAreIgnored) {
  std::vector<std::string> lines = lines_of({});
  lines.insert(lines.end(), {"##### separator #####", "-1 no field of ours", "abc"});
  write_file("HPL.dat", join_lines(lines));
  EXPECT_TRUE(all_passed(mpirun(1), 1));
}

TEST_F(InputForms, ValuesPastTheCountAreComment) {
  std::vector<std::string> lines = lines_of({});
  lines[5] = "20 30 40 Ns";
  write_file("HPL.dat", join_lines(lines));
  EXPECT_TRUE(all_passed(mpirun(1), 1));
}

/// A number for which netlib HPL has a default: used here too, but not in silence.
struct Fallback {
  std::string name;
  int line;
  std::string text;
  std::string remark;
  std::string shown;  ///< a line of the parameter block
};

void PrintTo(const Fallback& fallback, std::ostream* out) {
  *out << "line " << fallback.line << ": '" << fallback.text << "'";
}

std::string name_of(const testing::TestParamInfo<Fallback>& info) {
  return info.param.name;
}

class Fallbacks : public XhplTest, public testing::WithParamInterface<Fallback> {};

TEST_P(Fallbacks, RunWithTheDefaultAndARemark) {
  std::vector<std::string> lines = lines_of({.orders = {40}});
  lines.at(static_cast<std::size_t>(GetParam().line) - 1) = GetParam().text;
  write_file("HPL.dat", join_lines(lines));
  const Outcome outcome = mpirun(2);
  ASSERT_TRUE(all_passed(outcome, 1));
  const std::vector<std::string> report = split_lines(outcome.output);
  for (const std::string& line : {"# remark: HPL.dat line " + GetParam().remark, GetParam().shown})
    EXPECT_EQ(std::count(report.begin(), report.end(), line), 1) << line << describe(outcome);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Fallbacks,
    testing::Values(
        Fallback{"Order", 6, "200,300",
                 R"(6: N is read as 200, what follows the comma in "200,300" as comment)",
                 "N      :     200 "},
        Fallback{
            "Pmap", 9, "2",
            R"(9: PMAP should be 0 (row-major) or 1 (column-major), found "2": 0 (row-major) is used)",
            "PMAP   : Row-major process mapping"},
        Fallback{
            "Pfact", 15, "7",
            R"(15: PFACT should be 0 (left), 1 (Crout) or 2 (right), found "7": 2 (right) is used)",
            "PFACT  :   Right "},
        Fallback{
            "Rfact", 21, "-1",
            R"(21: RFACT should be 0 (left), 1 (Crout) or 2 (right), found "-1": 2 (right) is used)",
            "RFACT  :   Right "},
        Fallback{
            "Bcast", 23, "9",
            R"(23: BCAST should be 0 (1ring), 1 (1ringM), 2 (2ring), 3 (2ringM), 4 (long) or 5 (longM), found "9": 1 (1ringM) is used)",
            "BCAST  :  1ringM "},
        Fallback{
            "Swap", 26, "3",
            R"(26: SWAP should be 0 (binary-exchange), 1 (spread-roll) or 2 (mix), found "3": 1 (spread-roll) is used)",
            "SWAP   : Spread-roll (long)"},
        Fallback{"SwapThreshold", 27, "-5",
                 R"(27: swapping threshold should be at least 0, found "-5": 0 is used)",
                 "SWAP   : Mix (threshold = 0)"},
        Fallback{
            "L1", 28, "2",
            R"(28: L1 should be 0 (transposed) or 1 (plain), found "2": 0 (transposed) is used)",
            "L1     : transposed form"},
        Fallback{
            "U", 29, "2",
            R"(29: U should be 0 (transposed) or 1 (plain), found "2": 0 (transposed) is used)",
            "U      : transposed form"},
        Fallback{"Equilibration", 30, "2",
                 R"(30: equilibration should be 0 (no) or 1 (yes), found "2": 1 (yes) is used)",
                 "EQUIL  : yes"},
        Fallback{"Alignment", 31, "0",
                 R"(31: alignment should be at least 1, found "0": 4 is used)",
                 "ALIGN  : 4 double precision words"}),
    name_of);

TEST_F(InputForms, AnotherFileIsReadOnRequest) {
  write_file("mine.dat", join_lines(lines_of({.orders = {23}})));
  const Outcome outcome = mpirun(1, {"--dat", "mine.dat"});
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ(parse_report(outcome.output).runs.at(0).order, 23);
}

TEST_F(InputForms, MoreThanTwentyValuesAreAccepted) {
  write_dat({.orders = std::vector<int>(21, 12)});
  EXPECT_TRUE(all_passed(mpirun(1), 21));
}

}  // namespace
}  // namespace hpl::test
