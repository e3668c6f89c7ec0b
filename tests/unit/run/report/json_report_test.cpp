#include "hpl/run/report/json_report.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "hpl/base/file/named_files.h"
#include "support/file_size_limit.h"
#include "support/holds.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"
#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class JsonReportFile : public testing::Test {
 protected:
  std::ptrdiff_t files() {
    return std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator());
  }
  static std::string content(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  test::TemporaryDirectory directory_;
};

TEST_F(JsonReportFile, ReplacesTheTargetAndLeavesNothingBeside) {
  const fs::path path = directory_ / "run.json";
  std::ofstream(path) << "old";
  JsonReport report(path);
  EXPECT_EQ(content(path), "old") << "checking must not touch the target";
  report.write(test::fixed_job());
  report.write(test::fixed_job());
  EXPECT_EQ(content(path), to_json(test::fixed_job()));
  EXPECT_EQ(files(), 1);
}

TEST_F(JsonReportFile, RefusesADirectoryThatDoesNotExistBeforeTheFirstRun) {
  EXPECT_TRUE(test::holds(
      test::message_of<ConfigError>([&] { const JsonReport report(directory_ / "none/run.json"); }),
      {"none/run.json", "No such file or directory"}));
}

TEST_F(JsonReportFile, RefusesADirectoryAndAnEmptyName) {
  EXPECT_THROW(JsonReport{directory_.path()}, ConfigError);
  EXPECT_THROW(JsonReport{""}, ConfigError);
}

TEST_F(JsonReportFile, SaysSoWhenTheTargetWentAwayDuringTheRun) {
  const fs::path inner = directory_ / "inner";
  fs::create_directory(inner);
  JsonReport report(inner / "run.json");
  fs::remove(inner);
  EXPECT_TRUE(test::holds(test::message_of<RunError>([&] { report.write(test::fixed_job()); }),
                          {"inner/run.json"}));
}

TEST_F(JsonReportFile, WritesThroughASymbolicLink) {
  const fs::path real = directory_ / "real.json";
  const fs::path link = directory_ / "link.json";
  std::ofstream(real) << "old";
  fs::create_symlink(real, link);
  JsonReport(link).write(test::fixed_job());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(real), to_json(test::fixed_job()));
}

/// Runs of the report, and of the journal beside it beyond them.
class JsonReportOfManyRuns : public JsonReportFile {
 protected:
  fs::path path() const { return directory_ / "run.json"; }
  fs::path journal() const { return journal_of(path()); }

  std::size_t runs_written() {
    std::size_t count = json::parse(content(path())).at("runs").size();
    std::ifstream lines(journal());
    for (std::string line; std::getline(lines, line);) {
      const json entry = json::parse(line);
      EXPECT_EQ(entry.at("journal_version"), kJournalVersion);
      if (entry.at("index") == count) ++count;
    }
    return count;
  }

  /// One run more, made within a second, and its place in the report. The time to write that, which
  /// passes whenever the clock is asked, grows with the runs.
  void make_run(JsonReport& report) {
    job_.runs.push_back(test::passing_run());
    ++now_;
    report.add(job_);
  }
  JsonReport::Clock clock() {
    return [this] { return now_ += kSecondsARun * static_cast<double>(job_.runs.size()); };
  }

  static constexpr double kSecondsARun = 0.005;
  JobReport job_ = {.header = test::fixed_header()};
  double now_ = 0;
};

TEST_F(JsonReportOfManyRuns, HoldsAllOfThemAtAnyTimeWithItsJournal) {
  JsonReport report(path(), clock());
  std::size_t journals = 0;
  for (std::size_t i = 1; i <= 40; ++i) {
    make_run(report);
    EXPECT_EQ(runs_written(), i);
    journals += fs::exists(journal()) ? 1 : 0;
  }
  EXPECT_GT(journals, 0U);
  report.write(job_);
  EXPECT_EQ(content(path()), to_json(job_));
  EXPECT_EQ(files(), 1) << "no journal is left";
}

TEST_F(JsonReportOfManyRuns, TakesAShareOfTheTimeThatDoesNotGrowWithThem) {
  JsonReport report(path(), clock());
  double writing = 0;
  for (std::size_t i = 1; i <= 300; ++i) {
    make_run(report);
    if (!fs::exists(journal())) writing += kSecondsARun * static_cast<double>(i);
  }
  EXPECT_GT(writing, 0);
  EXPECT_LT(writing, 0.03 * now_);
}

TEST_F(JsonReportOfManyRuns, IsWrittenAfterEachThatTakesLong) {
  JsonReport report(path(), clock());
  for (std::size_t i = 1; i <= 10; ++i) {
    now_ += 3600;
    make_run(report);
    EXPECT_EQ(json::parse(content(path())).at("runs").size(), i);
    EXPECT_EQ(files(), 1);
  }
}

TEST_F(JsonReportOfManyRuns, KeepsItsJournalWhereThereIsNoRoomForTheReport) {
  JsonReport report(path(), clock());
  make_run(report);
  {
    const test::FileSizeLimit limit(fs::file_size(path()) + 10);
    now_ += 3600;
    EXPECT_THROW(make_run(report), RunError);
    EXPECT_EQ(runs_written(), 2U);
    job_.exit_code = ExitCode::Broken;
    EXPECT_THROW(report.write(job_), RunError);
    EXPECT_EQ(runs_written(), 2U);
    EXPECT_TRUE(json::parse(content(path())).at("exit_code").is_null())
        << "a reader takes the journal";
  }
  report.write(job_);
  EXPECT_EQ(runs_written(), 2U);
  EXPECT_EQ(files(), 1) << "no journal is left";
}

TEST_F(JsonReportOfManyRuns, TakesTheJournalOfAnEarlierJobAwayWithItsReport) {
  std::ofstream(path()) << "old";
  std::ofstream(journal()) << R"({"journal_version":1,"index":1,"run":{}})" << '\n';
  JsonReport report(path(), clock());
  EXPECT_TRUE(fs::exists(journal())) << "checking must not touch it";
  make_run(report);
  EXPECT_EQ(files(), 1);
}

TEST_F(JsonReportOfManyRuns, LeavesWhatIsNoJournalInItsPlace) {
  std::ofstream(journal()) << "mine";
  EXPECT_TRUE(test::holds(test::message_of<ConfigError>([&] { const JsonReport report(path()); }),
                          {"--json keeps a journal in", "found \"mine\""}));
  EXPECT_EQ(content(journal()), "mine");
  fs::remove(journal());
  fs::create_directory(journal());
  EXPECT_THROW(JsonReport{path()}, ConfigError);
}

TEST_F(JsonReportOfManyRuns, StaysAsPrivateAsItIs) {
  std::ofstream(path()) << "old";
  const auto mine = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(path(), mine);
  JsonReport report(path(), clock());
  for (int i = 0; i < 40 && !fs::exists(journal()); ++i)
    make_run(report);
  ASSERT_TRUE(fs::exists(journal()));
  EXPECT_EQ(fs::status(path()).permissions(), mine);
  EXPECT_EQ(fs::status(journal()).permissions(), mine);
}

TEST_F(JsonReportOfManyRuns, GoesToAPipeOnce) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  const int reader = ::open(path().c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  JsonReport report(path());
  make_run(report);
  make_run(report);
  report.write(job_);
  std::string text(std::size_t{1} << 16, '\0');
  const ssize_t count = ::read(reader, text.data(), text.size());
  ::close(reader);
  ASSERT_GT(count, 0);
  text.resize(static_cast<std::size_t>(count));
  EXPECT_EQ(text, to_json(job_));
}

TEST_F(JsonReportFile, WritesADeviceInPlace) {
  JsonReport("/dev/null").write(test::fixed_job());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(JsonReportFile, ThrowsWhenTheDeviceIsFull) {
  EXPECT_THROW(JsonReport("/dev/full").write(test::fixed_job()), RunError);
}

}  // namespace
}  // namespace hpl
