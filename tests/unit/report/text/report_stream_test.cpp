#include "hpl/report/text/report_stream.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl {
namespace {

TEST(ReportStream, IsStandardOutputOrStandardErrorOnRequest) {
  EXPECT_EQ(&ReportStream(OutputDevice::Stdout, "ignored.out", "").stream(), &std::cout);
  EXPECT_EQ(&ReportStream(OutputDevice::Stderr, "ignored.out", "").stream(), &std::cerr);
}

TEST(ReportStream, ReplacesTheContentOfAFile) {
  const std::string path = testing::TempDir() + "report_stream_test.out";
  std::ofstream(path) << "an older and much longer report\n";
  { ReportStream(OutputDevice::File, path, "").stream() << "new\n"; }
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  EXPECT_EQ(line, "new");
  EXPECT_FALSE(std::getline(file, line));
  std::filesystem::remove(path);
}

TEST(ReportStream, NamesTheFileAndTheReasonWhenItCannotBeWritten) {
  EXPECT_EQ(test::message_of<ConfigError>([&] {
              ReportStream(OutputDevice::File, "/no/such/directory/HPL.out", "mine.dat line 3");
            }),
            "mine.dat line 3: cannot write the report to '/no/such/directory/HPL.out': No such "
            "file or directory");
}

}  // namespace
}  // namespace hpl
