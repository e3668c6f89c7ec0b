#include "hpl/base/file/named_files.h"

#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hpl/base/error/error.h"
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

}  // namespace
}  // namespace hpl
