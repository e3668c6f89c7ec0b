#include "hpl/report/json/json_report.h"

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

#include "hpl/base/file/json_journal.h"
#include "support/file_size_limit.h"
#include "support/test_files.h"
#include "unit/report/fixed_results.h"
#include "unit/report/schema_check.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

JobReport fixed_job() {
  return {.header = test::fixed_header(),
          .plan = {test::fixed_spec()},
          .runs = {test::passing_run(), test::failing_run(), test::singular_run()},
          .tally = {.passed = 1, .failed = 2},
          .exit_code = ExitCode::Failed};
}

json parsed(const JobReport& job) {
  return json::parse(to_json(job));
}

class JsonReportFile : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(testing::TempDir()) / ("json_report_" + std::to_string(::getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override {
    fs::permissions(directory_, fs::perms::owner_all);
    fs::remove_all(directory_);
  }

  std::string content(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }

  fs::path directory_;
};

TEST(JsonDocument, FollowsThePublishedSchema) {
  std::ifstream file(test::schema_file("run.schema.json"));
  ASSERT_TRUE(file);
  const test::SchemaCheck check(json::parse(file));
  JobReport job = fixed_job();
  job.runs.push_back(test::stopped_run());
  job.runs.push_back(test::slower_run());
  job.runs[0].checksums =
      ChecksumResult{.interval = 4,
                     .comparisons = 2,
                     .faults = {{.rank = 1, .last_step = 3, .rows = 1, .difference = INFINITY}}};
  job.runs[1].residual->samples = {.rows = 32, .wrong = 1, .residual = INFINITY};
  job.runs[1].differs_from = 17;
  job.runs[1].rank_gflops = {1, std::nan("")};
  job.gates = judge({.min_gflops = 1, .min_efficiency = 1, .max_spread = 1}, job.runs);
  job.runs.front().power = test::metered_power();
  job.runs.front().devices = {
      {.backend = "cuda", .sensors = {.core_power = PowerAverages{}, .phase_joules = {1, 2}}}};
  EXPECT_EQ(check.faults(parsed(job)), "");
  EXPECT_EQ(check.faults(parsed(JobReport{})), "");
}

TEST(JsonDocument, IsRefusedByTheSchemaWhenAMemberIsMissingOrOfAnotherType) {
  std::ifstream file(test::schema_file("run.schema.json"));
  ASSERT_TRUE(file);
  const test::SchemaCheck check(json::parse(file));
  json document = parsed(fixed_job());
  document["runs"][0].erase("gflops");
  document["tally"]["passed"] = "one";
  document["runs"][1]["spec"]["surplus"] = 1;
  const std::string faults = check.faults(document);
  EXPECT_NE(faults.find("/runs/0: no gflops"), std::string::npos) << faults;
  EXPECT_NE(faults.find("/tally/passed: wrong type"), std::string::npos) << faults;
  EXPECT_NE(faults.find("/runs/1/spec: unknown surplus"), std::string::npos) << faults;
}

TEST(JsonDocument, HoldsWhatTheJobWasMadeOf) {
  const json document = parsed(fixed_job());
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["program"]["version"], "1.2.3");
  EXPECT_EQ(document["configuration"]["orders"], json::array({1000}));
  EXPECT_EQ(document["configuration"]["grids"][0]["columns"], 3);
  EXPECT_EQ(document["environment"]["host"], "node01");
  EXPECT_EQ(document["plan"][0]["variant"], "WR11C2R4");
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_TRUE(document["error"].is_null());
}

TEST(JsonDocument, HoldsARunWithPhasesStepsAndAttainableRate) {
  const json run = parsed(fixed_job())["runs"][0];
  EXPECT_EQ(run["status"], "passed");
  EXPECT_EQ(run["passed"], true);
  EXPECT_EQ(run["started"], "2026-01-03T04:00:00Z");
  EXPECT_EQ(run["residual"]["scaled"], 3.21e-3);
  EXPECT_EQ(run["phases"].size(), static_cast<std::size_t>(kPhaseCount));
  EXPECT_EQ(run["phases"][0]["maximum_rank"], 5);
  EXPECT_EQ(run["steps"][1]["columns_done"], 256);
  EXPECT_EQ(run["solution_hash"], "0001e3a94f2b7d56");
  EXPECT_TRUE(run["rpeak_gflops"].is_null() && run["efficiency_of_peak"].is_null());
  EXPECT_DOUBLE_EQ(run["ceiling_share"].get<double>(), run["gflops"].get<double>() / 0.5);
  EXPECT_EQ(run["ceiling_rates"], json::parse(R"([{"source": "alone after run 1", "gflops": 0.5},
                            {"source": "alone before run 1", "gflops": 0.49}])"));
  EXPECT_EQ(run["remarks"][0], "DEPTH 3 runs as 1");
}

TEST(JsonDocument, HoldsChoicesNotesAndResourcesAsValues) {
  JobReport job = fixed_job();
  EXPECT_TRUE(parsed(job)["resources"].is_null());
  job.header.choices = {{"pipeline", "serial", "--pipeline asks for it"}};
  job.header.notes = {{.about = "NB", .text = "NB = 7 is odd"}};
  job.header.resources = JobResources{.ranks = 6, .nodes = 2, .threads_per_rank = 3};
  const json document = parsed(job);
  EXPECT_EQ(document["choices"], json::parse(R"([{"about": "pipeline", "value": "serial",
                                  "reason": "--pipeline asks for it"}])"));
  EXPECT_EQ(document["notes"],
            json::parse(R"([{"about": "NB", "severity": "warning", "text": "NB = 7 is odd"}])"));
  EXPECT_EQ(document["resources"]["nodes"], 2);
  EXPECT_EQ(document["resources"]["threads_per_rank"], 3);
}

TEST(JsonDocument, HoldsWhatWasExpectedOfARunByPhaseAndRank) {
  JobReport job = fixed_job();
  job.runs.push_back(test::slower_run());
  const json runs = parsed(job)["runs"];
  EXPECT_TRUE(runs[0]["expected"].is_null());
  const json expected = runs[3]["expected"];
  EXPECT_EQ(expected["model"], "simulated");
  EXPECT_EQ(expected["seconds"], 2);
  EXPECT_EQ(expected["outcome"], "slower");
  ASSERT_EQ(expected["phases"].size(), 2U);
  const json swap = expected["phases"][0];
  EXPECT_EQ(swap["phase"], "row swap");
  EXPECT_EQ(swap["rank"], 3);
  EXPECT_EQ(swap["seconds"], 0.75);
  EXPECT_EQ(swap["ranks_beyond"], json::array({3}));
  EXPECT_EQ(swap["rank_seconds"], json::parse("[0.25, 0.25, 0.25, 0.75, 0.25, 0.25]"));
  EXPECT_EQ(expected["findings"].size(), 2U);
}

TEST(JsonReport, HoldsTheBytesOfEachWay) {
  JobReport job = fixed_job();
  job.runs[0].traffic = {.host_to_device = 1, .device_to_host = 2, .peer = 3, .mpi = 4};
  EXPECT_EQ(parsed(job)["runs"][0]["bytes"],
            json::parse(R"({"host_to_device":1,"device_to_host":2,"peer":3,"mpi":4})"));
}

TEST(JsonReport, HoldsRpeakItsSourceAndTheShare) {
  JobReport job = fixed_job();
  job.runs[0].peak = PeakRate{4 * job.runs[0].gflops, "6 x (--rpeak 1)"};
  const json run = parsed(job)["runs"][0];
  EXPECT_DOUBLE_EQ(run["rpeak_gflops"].get<double>(), 4 * job.runs[0].gflops);
  EXPECT_EQ(run["rpeak_source"], "6 x (--rpeak 1)");
  EXPECT_DOUBLE_EQ(run["efficiency_of_peak"].get<double>(), 0.25);
}

TEST(JsonDocument, NamesTheZeroPivotAndHasNoResidualThen) {
  const json run = parsed(fixed_job())["runs"][2];
  EXPECT_EQ(run["zero_pivot_column"], 17);
  EXPECT_TRUE(run["residual"].is_null());
  EXPECT_EQ(run["passed"], false);
}

TEST(JsonDocument, WritesNullForNumbersThatAreNotFinite) {
  JobReport job = fixed_job();
  job.runs[0].residual->scaled = std::numeric_limits<double>::quiet_NaN();
  job.runs[0].residual->solution_one = std::numeric_limits<double>::infinity();
  const json run = parsed(job)["runs"][0];
  EXPECT_TRUE(run["residual"]["scaled"].is_null());
  EXPECT_TRUE(run["residual"]["solution_one"].is_null());
  EXPECT_EQ(run["residual"]["passed"], false);
  EXPECT_EQ(run["passed"], false);
}

TEST(JsonDocument, GivesNoVerdictOnAnUncheckedRun) {
  JobReport job = fixed_job();
  job.runs[0].residual.reset();
  const json run = parsed(job)["runs"][0];
  EXPECT_EQ(run["status"], "unchecked");
  EXPECT_TRUE(run["passed"].is_null());
}

TEST(JsonDocument, KeepsEveryBitOfADouble) {
  JobReport job = fixed_job();
  job.runs[0].seconds = 0.1 + 0.2;
  EXPECT_EQ(parsed(job)["runs"][0]["seconds"].get<double>(), 0.1 + 0.2);
}

TEST(JsonDocument, MendsTextThatIsNotUtf8) {
  JobReport job = fixed_job();
  job.header.environment = {{"host", "caf\xe9"}};
  EXPECT_EQ(parsed(job)["environment"]["host"], "caf\xef\xbf\xbd");
}

TEST_F(JsonReportFile, ReplacesTheTargetAndLeavesNothingBeside) {
  const fs::path path = directory_ / "run.json";
  std::ofstream(path) << "old";
  JsonReport report(path);
  EXPECT_EQ(content(path), "old") << "checking must not touch the target";
  report.write(fixed_job());
  report.write(fixed_job());
  EXPECT_EQ(content(path), to_json(fixed_job()));
  EXPECT_EQ(files(), 1);
}

TEST_F(JsonReportFile, RefusesADirectoryThatDoesNotExistBeforeTheFirstRun) {
  try {
    const JsonReport report(directory_ / "none" / "run.json");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("none/run.json"), std::string::npos) << text;
    EXPECT_NE(text.find("No such file or directory"), std::string::npos) << text;
  }
}

TEST_F(JsonReportFile, RefusesADirectoryAndAnEmptyName) {
  EXPECT_THROW(JsonReport{directory_}, ConfigError);
  EXPECT_THROW(JsonReport{""}, ConfigError);
}

TEST_F(JsonReportFile, SaysSoWhenTheTargetWentAwayDuringTheRun) {
  const fs::path inner = directory_ / "inner";
  fs::create_directory(inner);
  JsonReport report(inner / "run.json");
  fs::remove(inner);
  try {
    report.write(fixed_job());
    FAIL() << "written";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("inner/run.json"), std::string::npos) << error.what();
  }
}

TEST_F(JsonReportFile, WritesThroughASymbolicLink) {
  const fs::path real = directory_ / "real.json";
  const fs::path link = directory_ / "link.json";
  std::ofstream(real) << "old";
  fs::create_symlink(real, link);
  JsonReport(link).write(fixed_job());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(real), to_json(fixed_job()));
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
  try {
    const JsonReport report(path());
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("--json keeps a journal in"), std::string::npos) << text;
    EXPECT_NE(text.find("found \"mine\""), std::string::npos) << text;
  }
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
  JsonReport("/dev/null").write(fixed_job());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(JsonReportFile, ThrowsWhenTheDeviceIsFull) {
  EXPECT_THROW(JsonReport("/dev/full").write(fixed_job()), RunError);
}

TEST(JsonReport, HoldsPowerOfTheCorePhase) {
  JobReport job = fixed_job();
  job.runs.front().power = test::metered_power();
  const json run = parsed(job)["runs"][0];
  EXPECT_EQ(run["power"]["core_begin"], "2026-01-03T05:00:00.000+01:00");
  EXPECT_EQ(run["power"]["core_end"], "2026-01-03T05:00:02.500+01:00");
  EXPECT_EQ(run["power"]["components"]["averages"]["average_watts"], 500);
  EXPECT_EQ(run["power"]["components"]["trace_watts"], json::parse("[500.0,null,500.0]"));
  EXPECT_EQ(run["power"]["components"]["phases"][0]["joules"], 1000);
  EXPECT_TRUE(run["power"]["components"]["averages"]["tenth_watts"][3].is_null());
  EXPECT_EQ(run["power"]["meter"]["averages"]["energy_joules"], 1500);
  EXPECT_EQ(run["power"]["meter"]["scope"], "fraction=1");
  EXPECT_EQ(run["power"]["level"]["level"], 0);
  EXPECT_EQ(run["power"]["level"]["aspects"].size(), 4U);
}

}  // namespace
}  // namespace hpl
