#include "hpl/base/file/line_file.h"

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>

#include "support/file_size_limit.h"
#include "support/temporary_directory.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

class LineFileTest : public testing::Test {
 protected:
  fs::path file() const { return directory_ / "lines"; }
  std::string content() const { return directory_.read("lines"); }

  test::TemporaryDirectory directory_;
};

TEST_F(LineFileTest, GrowsByWholeLinesOnly) {
  const LineFile lines(file());
  lines.append("first\n");
  {
    const test::FileSizeLimit limit(10);
    try {
      lines.append("second\n");
      ADD_FAILURE() << "ten bytes hold both lines";
    } catch (const std::system_error& failure) {
      EXPECT_EQ(failure.code().value(), EFBIG) << "the limit, not a full disk";
    }
  }
  EXPECT_EQ(content(), "first\n") << "no half of a line that did not fit";
  lines.append("third\n");
  EXPECT_EQ(content(), "first\nthird\n");
}

TEST_F(LineFileTest, WaitsForAJobThatWrites) {
  auto first = std::make_unique<LineFile>(file());
  std::thread other([&] { LineFile(file()).append("second\n"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  first->append("first\n");
  first.reset();
  other.join();
  EXPECT_EQ(content(), "first\nsecond\n");
}

TEST_F(LineFileTest, DoesNotWaitForEverForAJobThatWasStopped) {
  const LineFile stopped(file());
  LineFile(file(), 0666, std::chrono::milliseconds(5)).append("line\n");
  EXPECT_EQ(content(), "line\n");
}

TEST_F(LineFileTest, IsAsPrivateAsAskedFor) {
  LineFile(file(), 0600).append("line\n");
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace
}  // namespace hpl
