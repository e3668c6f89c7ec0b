#include "hpl/base/file/named_files.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/atomic_file.h"
#include "hpl/base/file/line_file.h"
#include "support/file_size_limit.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

class NamedFiles : public testing::Test {
 protected:
  fs::path place(const std::string& name) const { return directory_ / name; }
  void make(const std::string& name) const { directory_.write(name, "content"); }

  static std::string refusal(const std::vector<NamedFile>& files) {
    return test::message_of<ConfigError>([&] { require_distinct_files(files); });
  }
  /// Of an output and an input.
  std::string refusal_of(const std::string& output, const std::string& input) const {
    return refusal({{"the input", place(input), FileUse::Input}, {"--json", place(output)}});
  }
  /// Of two outputs that are not there yet.
  std::string refusal_of_new(const fs::path& a, const fs::path& b) const {
    return refusal({{"--json", a}, {"--csv", b}});
  }

  test::TemporaryDirectory directory_;
};

TEST_F(NamedFiles, OfDifferentContentAreAccepted) {
  make("a");
  make("b");
  EXPECT_EQ(refusal_of("a", "b"), "no error");
  EXPECT_EQ(refusal_of("new", "b"), "no error");
  EXPECT_EQ(refusal_of_new(place("new"), place("newer")), "no error");
}

TEST_F(NamedFiles, AreRefusedWithBothPlacesAndTheName) {
  make("a");
  fs::current_path(directory_.path());
  EXPECT_EQ(refusal({{"the input", "a", FileUse::Input}, {"--json", "./a"}}),
            "--json must be a file of its own, found \"./a\", which is also the input");
}

TEST_F(NamedFiles, AreTheSameThroughLinks) {
  make("a");
  fs::create_symlink("a", place("symbolic"));
  fs::create_symlink(place("symbolic"), place("twice"));
  fs::create_hard_link(place("a"), place("hard"));
  fs::create_directory_symlink(directory_.path(), place("here"));
  for (const char* const name : {"a", "symbolic", "twice", "hard", "here/a", "here/./a"})
    EXPECT_NE(refusal_of(name, "a"), "no error") << name;
}

TEST_F(NamedFiles, ThatAreNotThereYetAreTheSameByDirectoryAndName) {
  fs::create_directory(place("inner"));
  fs::create_directory_symlink(place("inner"), place("here"));
  fs::create_symlink("inner/new", place("dangling"));
  fs::create_symlink("dangling", place("twice"));
  fs::current_path(directory_.path());
  for (const char* const name :
       {"inner/new", "./inner/new", "here/new", "inner/../here/new", "dangling", "twice"})
    EXPECT_NE(refusal_of_new(place("inner/new"), name), "no error") << name;
  EXPECT_EQ(refusal_of_new(place("inner/new"), "new"), "no error");
}

TEST_F(NamedFiles, MayBeReadTwice) {
  make("a");
  EXPECT_EQ(refusal({{"a", place("a"), FileUse::Input}, {"b", place("a"), FileUse::Input}}),
            "no error");
}

TEST_F(NamedFiles, ThatHoldNothingTakeSeveralOutputs) {
  EXPECT_EQ(refusal_of_new("/dev/null", "/dev/null"), "no error");
  ASSERT_EQ(::mkfifo(place("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of_new(place("pipe"), place("pipe")), "no error");
}

TEST_F(NamedFiles, ThatNobodyCouldOpenAreLeftToWhoOpensThem) {
  for (const fs::path& path : {place("none/new"), directory_.path(), fs::path(), place("")})
    EXPECT_EQ(refusal_of_new(path, path), "no error") << path;
}

TEST_F(NamedFiles, AreNoStreamsThatLeadToThem) {
  make("log");
  fs::create_symlink("log", place("link"));
  const NamedFile stream{"standard output", place("log"), FileUse::Stream};
  const NamedFile messages{"standard error", place("log"), FileUse::Stream};
  EXPECT_EQ(refusal({stream, messages}), "no error");
  EXPECT_EQ(refusal({stream, messages, {"--json", place("link")}}),
            "--json must be a file of its own, found \"" + place("link").string() +
                "\", which is also standard output");
  EXPECT_EQ(refusal({{"the input", place("link"), FileUse::Input}, stream}),
            "standard output must be a file of its own, found \"" + place("link").string() +
                "\", which is also the input");
}

TEST_F(NamedFiles, AreNotTheProgramItselfWhereTheyAreWritten) {
  fs::create_symlink(fs::canonical("/proc/self/exe"), place("p"));
  EXPECT_EQ(refusal({{"--json", place("p")}}), "--json must be a file of its own, found \"" +
                                                   place("p").string() +
                                                   "\", which is also the program itself");
  EXPECT_EQ(refusal({{"the input", place("p"), FileUse::Input}}), "no error");
}

TEST_F(NamedFiles, AreDescriptorsByAnyNameOfThem) {
  fs::create_symlink("/dev/fd/9", place("link"));
  for (const fs::path& name : {fs::path("/dev/fd/9"), fs::path("/proc/self/fd/9"), place("link"),
                               fs::path("/proc/thread-self/fd/9"), fs::path("/dev/../dev/fd/9")})
    EXPECT_EQ(named_descriptor(name), 9) << name;
  EXPECT_EQ(named_descriptor("/dev/stderr"), 2);
  for (const fs::path& name : {fs::path("/dev/fd/x"), fs::path("/dev/null"), fs::path(),
                               fs::path("/dev/fd/99999999999"), place("9"), place("none/9")})
    EXPECT_EQ(named_descriptor(name), std::nullopt) << name;
}

TEST_F(NamedFiles, AreNoDescriptorsThatTheProgramHasOpenedItself) {
  make("a");
  std::FILE* const file = std::fopen(place("a").c_str(), "r+");
  ASSERT_NE(file, nullptr);
  const std::string name = "/dev/fd/" + std::to_string(::fileno(file));
  EXPECT_EQ(
      refusal({{"--json", name}}),
      "--json must name a descriptor that was open when the program began, found \"" + name + "\"");
  EXPECT_NE(refusal({{"the input", name, FileUse::Input}}), "no error");
  std::fclose(file);
  EXPECT_EQ(refusal({{"--json", "/dev/fd/2"}}), "no error");
}

TEST_F(NamedFiles, ResolveToWhereWritingWouldEnd) {
  make("a");
  fs::create_symlink("a", place("link"));
  fs::create_symlink("none", place("dangling"));
  fs::create_symlink("loop", place("loop"));
  fs::current_path(directory_.path());
  EXPECT_EQ(resolved_path("link"), place("a"));
  EXPECT_EQ(resolved_path("dangling"), place("none"));
  EXPECT_EQ(resolved_path("new"), place("new"));
  EXPECT_EQ(resolved_path("./new"), place("new"));
  EXPECT_EQ(resolved_path("/dev/null"), "/dev/null");
  EXPECT_TRUE(resolved_path("loop").is_absolute());
}

TEST(MayUse, TakesNothingOfOthersWhereEverybodyMayPutIt) {
  constexpr uid_t kRoot = 0, kMe = 1000, kOther = 1001;
  constexpr mode_t kShared = 01777, kOpen = 0777, kSticky = 01755;
  const auto forbidden = [](uid_t owner, uid_t directory_owner, mode_t mode, uid_t user) {
    return !may_use({owner, directory_owner, S_IFDIR | mode}, user);
  };
  EXPECT_TRUE(forbidden(kOther, kRoot, kShared, kMe));
  EXPECT_TRUE(forbidden(kOther, kRoot, kShared, kRoot)) << "root is fooled as easily";
  EXPECT_FALSE(forbidden(kMe, kRoot, kShared, kMe));
  EXPECT_FALSE(forbidden(kRoot, kRoot, kShared, kMe)) << "of the directory's owner";
  EXPECT_FALSE(forbidden(kOther, kOther, kShared, kMe));
  EXPECT_FALSE(forbidden(kOther, kRoot, kOpen, kMe)) << "there a file itself may be exchanged";
  EXPECT_FALSE(forbidden(kOther, kRoot, kSticky, kMe));
}

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

/// A sticky directory that everybody may write to, and in it names that another user made.
class SharedDirectory : public testing::Test {
 protected:
  static constexpr uid_t kOther = 12345;

  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
    directory_.write("victim", "old");
    fs::permissions(directory_.path(), static_cast<fs::perms>(01777));
  }
  void link(const fs::path& to, const std::string& name, uid_t owner) const {
    fs::create_symlink(to, directory_ / name);
    ASSERT_EQ(::lchown((directory_ / name).c_str(), owner, owner), 0);
  }
  std::string refusal_of(const std::string& name) const {
    return test::message_of<ConfigError>([&] { AtomicFile(directory_ / name, "the page"); });
  }
  std::string trap(const std::string& name) const {
    return "cannot write the page to '" + (directory_ / name).string() +
           "': it is, or leads through, a link or pipe of another user in a directory that "
           "everybody may write to";
  }

  test::TemporaryDirectory directory_;
};

TEST_F(SharedDirectory, HasLinksOfOthersThatAreNotFollowed) {
  link("victim", "theirs", kOther);
  link("new", "dangling", kOther);
  link("theirs", "twice", 0);
  fs::create_directory(directory_ / "directory");
  link("directory", "way", kOther);
  for (const std::string name : {"theirs", "dangling", "twice", "way/new"})
    EXPECT_EQ(refusal_of(name), trap(name));
  EXPECT_EQ(directory_.read("victim"), "old");
  EXPECT_FALSE(fs::exists(directory_ / "new"));
}

TEST_F(SharedDirectory, HasLinksOfItsOwnerThatAreFollowed) {
  link("victim", "own", 0);
  AtomicFile(directory_ / "own", "the page").write("new");
  EXPECT_EQ(directory_.read("victim"), "new");
  EXPECT_TRUE(fs::is_symlink(directory_ / "own"));
}

TEST_F(SharedDirectory, HasPipesOfOthersThatAreNotOpened) {
  for (const uid_t owner : {kOther, uid_t{0}}) {
    const std::string name = "pipe" + std::to_string(owner);
    ASSERT_EQ(::mkfifo((directory_ / name).c_str(), 0666), 0);
    ASSERT_EQ(::chown((directory_ / name).c_str(), owner, owner), 0);
    EXPECT_EQ(refusal_of(name), owner == 0 ? "no error" : trap(name));
  }
}

TEST_F(SharedDirectory, HasNoLinkFollowedThatTakesANamesPlaceLater) {
  directory_.write("page", "old page");
  const AtomicFile page(directory_ / "page", "the page");
  fs::remove(directory_ / "page");
  link("victim", "page", kOther);
  page.write("new");
  EXPECT_EQ(directory_.read("victim"), "old");
  EXPECT_EQ(directory_.read("page"), "new");
}

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
    EXPECT_TRUE(test::message_of<std::system_error>([&] {
                  lines.append("second\n");
                }).ends_with("File too large"))
        << "the limit, not a full disk";
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
