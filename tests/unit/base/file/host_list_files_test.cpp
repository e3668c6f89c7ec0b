#include "hpl/base/file/host_list_files.h"

#include <array>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_directory.h"

namespace hpl {
namespace {

TEST(HostListFiles, AreALineEachOrEmptyAndAPipeGetsTheFinalListAlone) {
  const test::TemporaryDirectory directory;
  const auto pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  const HostListFiles files(
      {.passed = directory / "good", .warned = directory / "odd", .failed = pipe});
  files.write("", "n3", "n[1-2]", false);
  EXPECT_EQ(directory.read("good"), "");
  EXPECT_EQ(directory.read("odd"), "n3\n");
  files.write("n1", "", "n2");
  EXPECT_EQ(directory.read("good"), "n1\n");
  EXPECT_EQ(directory.read("odd"), "");
  std::array<char, 100> bytes{};
  const ssize_t count = ::read(reader, bytes.data(), bytes.size());
  ::close(reader);
  EXPECT_EQ(std::string(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0), "n2\n");
}

}  // namespace
}  // namespace hpl
