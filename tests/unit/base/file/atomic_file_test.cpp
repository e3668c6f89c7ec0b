#include "hpl/base/file/atomic_file.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_directory.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() { directory_.write("file", "old"); }

  fs::path file() const { return directory_ / "file"; }
  test::TemporaryDirectory directory_;
};

TEST_F(AtomicFileTest, KeepsItsPermissions) {
  for (const unsigned permissions : {0600U, 0640U, 0644U, 0666U, 0200U}) {
    fs::permissions(file(), static_cast<fs::perms>(permissions));
    AtomicFile(file(), "the file").write("new");
    EXPECT_EQ(static_cast<unsigned>(fs::status(file()).permissions()), permissions);
  }
}

TEST_F(AtomicFileTest, KeepsItsOwnerWhereRootWrites) {
  constexpr uid_t kOther = 12345;
  if (::chown(file().c_str(), kOther, kOther) != 0) GTEST_SKIP() << "not root";
  AtomicFile(file(), "the file").write("new");
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, kOther);
  EXPECT_EQ(status.st_gid, kOther);
}

TEST_F(AtomicFileTest, IsMadeWhereALinkPoints) {
  fs::create_symlink("new", directory_ / "link");
  AtomicFile(directory_ / "link", "the file").write("new");
  EXPECT_TRUE(fs::is_symlink(directory_ / "link"));
  EXPECT_EQ(directory_.read("new"), "new");
}

}  // namespace
}  // namespace hpl
