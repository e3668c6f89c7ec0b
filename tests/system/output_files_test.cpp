// Outputs that would destroy the input or each other.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public XhplTest {
 protected:
  /// Success if the job is refused with that message and no file of the directory is touched.
  testing::AssertionResult refused_whole(const Words& arguments, const std::string& message) {
    const std::string dat = read_file("HPL.dat");
    const auto files = names();
    const Outcome outcome = alone(arguments);
    if (const auto result = refused(outcome, message); !result) return result;
    if (read_file("HPL.dat") != dat)
      return testing::AssertionFailure() << "HPL.dat is lost; " << describe(outcome);
    if (names() != files) return testing::AssertionFailure() << "a file came or went";
    return testing::AssertionSuccess();
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(directory()))
      all.push_back(entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }
};

TEST_F(OutputFiles, ThatAreTheInputAreRefusedByAnyName) {
  write_dat({.orders = {30}});
  fs::create_symlink("HPL.dat", directory() / "symbolic");
  fs::create_hard_link(directory() / "HPL.dat", directory() / "hard");
  for (const auto& [flag, name] :
       std::vector<std::pair<std::string, std::string>>{{"--json", "HPL.dat"},
                                                        {"--json", "hard"},
                                                        {"--csv", "./HPL.dat"},
                                                        {"--trace", "symbolic"},
                                                        {"--output", "hard"}})
    EXPECT_TRUE(refused_whole({flag, name}, flag + " must be a file of its own, found \"" + name +
                                                "\", which is also the input"));
  EXPECT_TRUE(
      refused_whole("plan -o symbolic",
                    "--output must be a file of its own, found \"symbolic\", which is also the "
                    "input"));
}

TEST_F(OutputFiles, ThatTheFileItselfNamesAreJudgedAlike) {
  write_dat({.output_file = "HPL.dat", .device_out = 8, .orders = {30}});
  EXPECT_TRUE(refused_whole({}, "HPL.dat line 3 must be a file of its own"));
  EXPECT_TRUE(refused_whole("--output r --json r", "--json must be a file of its own"));
}

TEST_F(OutputFiles, ThatAreOneFileAreRefused) {
  write_dat({.orders = {30}});
  const Words flags = "--output --json --csv --trace";
  for (std::size_t i = 0; i + 1 < flags.size(); ++i)
    EXPECT_TRUE(refused_whole({flags[i], "a", flags[i + 1], "./a"},
                              flags[i + 1] + " must be .*, which is also " + flags[i]));
}

TEST_F(OutputFiles, ThatAreOneFileAreRefusedOnceByAJobOfSeveralRanks) {
  write_dat({.orders = {30}});
  EXPECT_TRUE(refused(mpirun(2, "--json a --csv a"), "which is also --json"));
}

TEST_F(OutputFiles, ThatStandardOutputGoesToAreRefused) {
  write_dat({.orders = {30}});
  const auto job = [&](const std::string& arguments) {
    return shell("\"$0\" --no-attainable " + arguments);
  };
  EXPECT_TRUE(refused(job("--json log > log"), "which is also standard output"));
  EXPECT_TRUE(refused(job("--trace /dev/stdout > log"), "which is also standard output"));
  EXPECT_TRUE(refused(job("--csv log 2> log; c=$?; cat log >&2; exit $c"), "standard error"));
  // With the report elsewhere, standard output is free for another file.
  EXPECT_EQ(job("--output report --json /dev/stdout > log").exit_code, 0);
  EXPECT_TRUE(read_file("log").starts_with("{\n \"schema_version\""));
}

TEST_F(OutputFiles, ThatAreTheProgramItselfAreRefused) {
  fs::copy_file(HPL_XHPL_PATH, directory() / "xhpl");
  write_dat({.orders = {30}});
  const auto size = fs::file_size(directory() / "xhpl");
  for (const std::string flag : {"--json", "--csv", "--trace"})
    EXPECT_TRUE(refused(mpirun_words({"-np", "1", "./xhpl", flag, "./xhpl", "--no-attainable"}),
                        flag + " must be a file of its own, found \"./xhpl\", which is also the "
                               "program itself"));
  EXPECT_EQ(fs::file_size(directory() / "xhpl"), size);
}

TEST_F(OutputFiles, ThatAreDescriptorsOfLibrariesAreRefusedAndThoseOfTheUserAreNot) {
  write_dat({.orders = {30}});
  EXPECT_TRUE(refused_whole("--json /dev/fd/9",
                            "--json must name a descriptor that was open when the program began"));
  const Outcome outcome =
      shell("\"$0\" --no-attainable --json /dev/fd/9 9>&1 >log | cat >document");
  EXPECT_TRUE(read_file("document").starts_with("{\n \"schema_version\"")) << describe(outcome);
}

TEST_F(OutputFiles, ThatAreRefusedLeaveTheOldReportAsItIs) {
  write_dat({.orders = {30}});
  write_file("report", "old");
  EXPECT_TRUE(refused(alone("--output report --json none/a"), "cannot write the JSON"));
  EXPECT_EQ(read_file("report"), "old");
  EXPECT_TRUE(refused(alone("check --output report --json none/a"), "the JSON"));
  EXPECT_EQ(read_file("report"), "old");
}

TEST_F(OutputFiles, ThatCannotBeWrittenAreBlamedOnWhatNamesThemBeforeTheRuns) {
  for (const auto& [flag, message] : {std::pair{"--output", "xhpl: --output: cannot write"},
                                      {"--json", "cannot write the JSON report to"},
                                      {"--csv", "cannot write the CSV table to"},
                                      {"--trace", "none/r"}})
    EXPECT_TRUE(refused(alone({"-N", "30", flag, "none/r"}), message));
  EXPECT_TRUE(refused(alone("plan -N 30 -o none/r"), "cannot write the HPL.dat to be written to"));
  write_file("mine.dat", join_lines(lines_of({.output_file = "none/r", .device_out = 8})));
  EXPECT_TRUE(refused(alone("--dat mine.dat"), "xhpl: mine.dat line 3: cannot write"));
}

using CsvOutput = XhplTest;

TEST_F(CsvOutput, GetsOneRowARunOverSeveralJobs) {
  write_dat({.orders = {60, 90}, .grid_rows = {1}, .grid_columns = {2}});
  ASSERT_TRUE(all_passed(mpirun(2, "--csv runs.csv --repeat 2"), 4));
  ASSERT_TRUE(all_passed(mpirun(2, "--csv runs.csv"), 2));
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
  EXPECT_TRUE(refused(mpirun(1, "--csv runs.csv"), "the CSV table 'runs.csv' must begin"));
  EXPECT_EQ(read_file("runs.csv"), "n,gflops\n100,5\n");
}

}  // namespace
}  // namespace hpl::test
