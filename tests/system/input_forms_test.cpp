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

TEST_F(InputForms, UnknownVariantNumbersFallBackAsNetlibDoes) {
  std::vector<std::string> lines = lines_of({});
  lines[14] = "7";   // PFACT
  lines[22] = "17";  // BCAST
  write_file("HPL.dat", join_lines(lines));
  const Outcome outcome = mpirun(1);
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ(parse_report(outcome.output).runs.at(0).code, "WR11C2R4");
}

TEST_F(InputForms, AnotherFileIsReadOnRequest) {
  write_file("mine.dat", join_lines(lines_of({.orders = {23}})));
  const Outcome outcome = mpirun(1, {"--dat", "mine.dat"});
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ(parse_report(outcome.output).runs.at(0).order, 23);
}

TEST_F(InputForms, MoreThanTwentyValuesAreAccepted) {
  write_dat({.orders = std::vector<int>(25, 12)});
  EXPECT_TRUE(all_passed(mpirun(1), 25));
}

}  // namespace
}  // namespace hpl::test
