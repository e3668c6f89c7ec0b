#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using CsvOutput = XhplTest;

TEST_F(CsvOutput, GetsOneRowARunOverSeveralJobs) {
  write_dat({.orders = {60, 90}, .grid_rows = {1}, .grid_columns = {2}});
  ASSERT_TRUE(all_passed(mpirun(2, {"--csv", "runs.csv", "--repeat", "2"}), 4));
  ASSERT_TRUE(all_passed(mpirun(2, {"--csv", "runs.csv"}), 2));
  const std::vector<std::string> lines = split_lines(read_file("runs.csv"));
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_TRUE(lines[0].starts_with("started,version,host,"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_NE(lines[i].find(",WR11C2R4,"), std::string::npos) << lines[i];
    EXPECT_NE(lines[i].find(",passed,"), std::string::npos) << lines[i];
  }
  EXPECT_NE(lines[4].find(",90,16,1,2,2,2,passed,"), std::string::npos) << lines[4];
}

TEST_F(CsvOutput, OfAnotherKindIsRefusedBeforeTheFirstRun) {
  write_dat({});
  write_file("runs.csv", "n,gflops\n100,5\n");
  EXPECT_TRUE(refused(mpirun(1, {"--csv", "runs.csv"}), "the CSV table 'runs.csv' must begin"));
  EXPECT_EQ(read_file("runs.csv"), "n,gflops\n100,5\n");
}

}  // namespace
}  // namespace hpl::test
