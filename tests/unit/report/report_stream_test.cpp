#include "hpl/report/report_stream.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error.h"

namespace hpl {
namespace {

TEST(ReportStream, IsStandardOutputForSixAndStandardErrorForSeven) {
  EXPECT_EQ(&ReportStream(6, "ignored.out").stream(), &std::cout);
  EXPECT_EQ(&ReportStream(7, "ignored.out").stream(), &std::cerr);
}

TEST(ReportStream, ReplacesTheFileOfLineThreeForAnyOtherNumber) {
  const std::string path = testing::TempDir() + "report_stream_test.out";
  std::ofstream(path) << "an older and much longer report\n";
  { ReportStream(8, path).stream() << "new\n"; }
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  EXPECT_EQ(line, "new");
  EXPECT_FALSE(std::getline(file, line));
  std::filesystem::remove(path);
}

TEST(ReportStream, NamesTheFileAndTheReasonWhenItCannotBeWritten) {
  try {
    ReportStream(8, "/no/such/directory/HPL.out");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("line 3"), std::string::npos) << text;
    EXPECT_NE(text.find("/no/such/directory/HPL.out"), std::string::npos) << text;
    EXPECT_NE(text.find("No such file or directory"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hpl
