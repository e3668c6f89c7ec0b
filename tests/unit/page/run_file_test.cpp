#include "hpl/page/run_file.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpl/base/error/error.h"
#include "hpl/base/record/record.h"
#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/predict/prediction_report.h"
#include "sample_documents.h"
#include "sample_job.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl::page {
namespace {

using nlohmann::json;

namespace fs = std::filesystem;

/// The message with which a document is refused.
std::string refusal(const std::string& text) {
  return test::message_of<ConfigError>([&] { parse_run_file("run.json", text); });
}

/// That of the sample with one change.
template <class Change>
std::string refusal_after(Change change) {
  json document = json::parse(to_json(test::sample_job()));
  change(document);
  return refusal(document.dump());
}

TEST(RunFile, ADocumentOfWhichNoPageIsMadeIsNamedWithItsReader) {
  const std::string end =
      "; xhpl-report reads reports of runs, fleets, checks, searches, predictions, comparisons and "
      "campaigns";
  const auto named = [](const std::string& kind) {
    return refusal(R"({"schema_version":1,"kind":")" + kind + R"("})");
  };
  EXPECT_EQ(
      named("rates"),
      "run.json: holds the rates of a machine, which is for xhpl-predict and xhpl --rates" + end);
  EXPECT_EQ(named("machine"),
            "run.json: holds the data sheet of a machine, which is for xhpl-predict" + end);
  EXPECT_EQ(named("top500"),
            "run.json: holds a form of xhpl-report --top500 or --mxp, which is for whoever "
            "fills in the lists" +
                end);
  EXPECT_EQ(named("news"),
            R"(run.json: kind must be prediction, tune, comparison or campaign, found "news")");
  FleetReport fleet = test::judged_fleet(3, 1);
  EXPECT_EQ(refusal(fleet_json(fleet)), "no error");
}

std::string journal_line(const RunResult& run, std::size_t index) {
  return json_text(to_json_value(JournalLine{index, run}), -1);
}

class RunFileOnDisk : public testing::Test {
 protected:
  static std::string refusal(const fs::path& path) {
    return test::message_of<ConfigError>([&] { read_run_file(path.string()); });
  }

  test::TemporaryDirectory directory_;
};

TEST(RunFile, OfAnEarlierVersionThatPassedARunWhoseChecksumsDisagreeIsFailed) {
  JobReport job = test::sample_job();
  job.runs = {test::cluster_run(2)};
  job.runs[0].checksums =
      ChecksumResult{.faults = {{.rank = 1, .first_step = 2, .last_step = 2, .rows = 4}}};
  json document = json::parse(to_json(job));
  json& run = document["runs"][0];
  run["status"] = "passed";
  run["passed"] = true;
  run.erase("failures");
  const RunFile file = parse_run_file("run.json", document.dump());
  EXPECT_EQ(run_verdict(file.job.runs[0]), Verdict::Failed);
}

TEST(RunFile, OfAJobThatGoesOnHasNoExitCode) {
  JobReport job = test::sample_job();
  job.exit_code.reset();
  EXPECT_FALSE(test::sample_file(job).job.exit_code);
}

TEST(RunFile, PassesOverMembersItDoesNotKnow) {
  json document = json::parse(to_json(test::sample_job()));
  document["weather"] = {{"sunny", true}};
  document["runs"][0]["spec"]["weather"] = "fine";
  EXPECT_EQ(parse_run_file("run.json", document.dump()).job.runs.size(), 1U);
}

TEST(RunFile, OfTheFiguresInTheDocsIsRead) {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HPL_DOCS_DIR "/figures/data"))
    if (entry.path().extension() == ".json") {
      EXPECT_NO_THROW(read_run_file(entry.path().string())) << entry.path();
      ++read;
    }
  EXPECT_GT(read, 0U);
}

TEST(RunFile, ThatIsNoJsonIsRefusedWithThePlace) {
  EXPECT_EQ(refusal("{\n\"a\": oops}").rfind("run.json: must be JSON as xhpl --json writes it", 0),
            0U)
      << refusal("{\n\"a\": oops}");
  EXPECT_NE(refusal("{\n\"a\": oops}").find("line 2, column"), std::string::npos);
  EXPECT_NE(refusal("").find("must be JSON"), std::string::npos);
  EXPECT_NE(refusal("\"\xff\"").find("must be JSON"), std::string::npos);
}

TEST(RunFile, OfVersion020LeavesOutRunsOfThePapersModelAndOfChangedMachines) {
  PredictionReport report{.runs = {{.nodes = 1}, {.nodes = 2}, {.nodes = 3}}};
  for (PredictedRun& run : report.runs)
    run.spec.order = 1000;
  json document = to_json_value(report);
  for (json& run : document["runs"])
    run["scenario"] = "";
  document["runs"][0]["model"] = "paper";
  document["runs"][2]["scenario"] = "nic=400Gb";
  document["systems"] = json::array();
  document["median_error"] = nullptr;
  const auto read = parse_run_file("p.json", document.dump()).predictions;
  ASSERT_EQ(read.value().runs.size(), 1U);
  EXPECT_EQ(read->runs[0].nodes, 2);
  document["runs"][1] = 3;
  EXPECT_NE(refusal(document.dump()).find("runs[0]"), std::string::npos);
}

TEST(RunFile, OfAComparisonNamesItsOwnSidesOnly) {
  Comparison comparison{.sides = {{.name = "a"}, {.name = "b"}},
                        .changes = {{.side = 1, .fact = "kernel"}},
                        .runs = {{.members = {{.points = {{.side = 0}, {.side = 1}}}}}}};
  const auto document = [&] { return json(to_json_value(comparison)).dump(); };
  EXPECT_TRUE(parse_run_file("c.json", document()).comparison);
  comparison.changes[0].side = 2;
  EXPECT_NE(refusal(document()).find("changes and points of its 2 sides"), std::string::npos);
  comparison.changes.clear();
  comparison.runs[0].members[0].points[1].side = 2;
  EXPECT_NE(refusal(document()).find("of its 2 sides"), std::string::npos);
}

TEST(RunFile, NestedTooDeepIsRefused) {
  constexpr int kLevels = 100'000;
  const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  // Members that follow make the library copy those before.
  EXPECT_EQ(refusal(R"({"later":)" + deep + R"(,"schema_version":1,"a":2,"b":3})"),
            "run.json: must be JSON as xhpl --json writes it, found more than 64 levels");
  EXPECT_NE(refusal(std::string(kLevels, '[')).find("more than 64 levels"), std::string::npos);
}

TEST_F(RunFileOnDisk, LargerThanAnyDocumentIsRefused) {
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: must be at most 268435456 bytes, found more");
}

TEST_F(RunFileOnDisk, GetsTheRunsThatItsJournalHoldsBeyondIt) {
  JobReport job = test::sample_job();
  job.exit_code.reset();
  directory_.write("run.json", to_json(job));
  const std::string known = journal_line(job.runs[0], 0);
  const std::string new1 = journal_line(test::cluster_run(3), 1);
  const std::string new2 = journal_line(test::singular_run(), 2);
  directory_.write("run.json.journal", known + new1 + new2);
  fs::create_symlink("run.json", directory_ / "link.json");
  for (const char* const name : {"run.json", "link.json"}) {
    const RunFile file = read_run_file((directory_ / name).string());
    ASSERT_EQ(file.job.runs.size(), 3U) << name;
    EXPECT_EQ(file.job.runs[1].devices.size(), 3U);
    EXPECT_EQ(file.job.runs[2].zero_pivot_column, 17);
    EXPECT_EQ(file.job.header.remarks, job.header.remarks);
  }
}

TEST_F(RunFileOnDisk, GetsTheCheckOfARunFromItsJournalAndLosesNone) {
  JobReport job = test::sample_job();
  job.exit_code.reset();
  const RunResult checked = job.runs.at(0);
  RunResult unchecked = checked;
  unchecked.residual.reset();
  const std::string lines = journal_line(unchecked, 0) + journal_line(checked, 0);
  const auto status = [&](const RunResult& in_document, const std::string& journal) {
    job.runs = {in_document};
    directory_.write("run.json", to_json(job));
    directory_.write("run.json.journal", journal);
    const RunFile file = read_run_file((directory_ / "run.json").string());
    EXPECT_EQ(file.job.runs.size(), 1U);
    return run_verdict(file.job.runs[0]);
  };
  EXPECT_EQ(status(unchecked, lines), Verdict::Passed);
  EXPECT_EQ(status(unchecked, journal_line(unchecked, 0)), Verdict::Unchecked);
  EXPECT_EQ(status(checked, journal_line(unchecked, 0)), Verdict::Passed) << "older than it";
}

TEST_F(RunFileOnDisk, OfAJobThatEndedHasNoNeedOfAJournal) {
  directory_.write("run.json", to_json(test::sample_job()));
  directory_.write("run.json.journal", journal_line(test::singular_run(), 1));
  EXPECT_EQ(read_run_file((directory_ / "run.json").string()).job.runs.size(), 1U);
}

TEST_F(RunFileOnDisk, TellsOfAJournalThatACrashTore) {
  JobReport job = test::sample_job();
  job.header.remarks.clear();
  job.exit_code.reset();
  directory_.write("run.json", to_json(job));
  const std::string line = journal_line(test::singular_run(), 1);
  for (const std::string& rest :
       {line.substr(0, line.size() / 2), line.substr(0, line.size() - 1),
        std::string(9, '\0') + '\n', std::string("{}\n"), std::string(100'000, '[') + '\n'}) {
    directory_.write("run.json.journal", line + rest);
    const RunFile file = read_run_file((directory_ / "run.json").string());
    EXPECT_EQ(file.job.runs.size(), 2U);
    ASSERT_EQ(file.job.header.remarks.size(), 1U);
    EXPECT_EQ(file.job.header.remarks[0].text.find(
                  "the journal was not read to its end: run.json.journal line 2"),
              0U)
        << file.job.header.remarks[0].text;
  }
}

TEST(RunFile, OfAnotherKindIsRefused) {
  EXPECT_EQ(refusal("[1]"), "run.json: the document must be an object, found an array");
  EXPECT_EQ(refusal(R"({"runs": []})"),
            "run.json: the document must have a member schema_version, found none");
  EXPECT_EQ(refusal_after([](json& d) { d["schema_version"] = 7; }),
            "run.json: schema_version must be 1 (xhpl 1.2.3 wrote it), found 7");
}

TEST(RunFile, WithAValueOfAnotherTypeIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal_after([](json& d) { d["runs"][0]["gflops"] = "fast"; }),
            "run.json: runs[0].gflops must be a number, found \"fast\"");
  EXPECT_EQ(refusal_after([](json& d) { d["runs"][0]["spec"].erase("order"); }),
            "run.json: runs[0].spec must have a member order, found none");
  EXPECT_EQ(refusal_after([](json& d) { d["runs"][0]["spec"]["order"] = 1.5; }),
            "run.json: runs[0].spec.order must be a whole number of at most 64 bits, found 1.5");
  EXPECT_EQ(refusal_after([](json& d) { d["runs"][0]["spec"]["order"] = 18446744073709551615U; }),
            "run.json: runs[0].spec.order must be a whole number of at most 64 bits, found "
            "18446744073709551615");
  EXPECT_EQ(refusal_after([](json& d) { d["runs"] = 3; }),
            "run.json: runs must be an array, found 3");
  EXPECT_EQ(refusal_after([](json& d) { d["runs"][0]["steps"][1] = nullptr; }),
            "run.json: runs[0].steps[1] must be an object, found null");
}

TEST(RunFile, OfOtherContentIsRefusedWithItsPlace) {
  json search = test::tuning_document(), prediction = to_json_value(PredictionReport{});
  EXPECT_EQ(refusal(search.dump()), "no error");
  EXPECT_EQ(refusal(prediction.dump()), "no error");
  search["trials"][0].erase("level");
  prediction["machine"] = 3;
  EXPECT_EQ(refusal(search.dump()), "run.json: trials[0] must have a member level, found none");
  EXPECT_EQ(refusal(prediction.dump()), "run.json: machine must be a string, found 3");
}

TEST(RunFile, OfNoKindIsRefusedWithTheKindsThatAreRead) {
  for (const char* const text : {"{}", R"({"schema_version": 1, "program": {}, "products": []})"})
    EXPECT_EQ(refusal(text),
              "run.json: the document must be a report of runs, fleets, checks, searches, "
              "predictions, comparisons or campaigns, found an object");
}

TEST_F(RunFileOnDisk, ThatCannotBeReadIsNamedWithTheReason) {
  EXPECT_EQ(refusal("/no/such/run.json"),
            "/no/such/run.json: cannot be read: No such file or directory");
  EXPECT_EQ(refusal(directory_.path()),
            directory_.path().string() + ": cannot be read: Is a directory");
}

TEST_F(RunFileOnDisk, HasItsName) {
  directory_.write("run.json", to_json(test::sample_job()));
  EXPECT_EQ(read_run_file((directory_ / "run.json").string()).name,
            (directory_ / "run.json").string());
}

TEST_F(RunFileOnDisk, WithANameThatIsNoTextIsReadAllTheSame) {
  const std::string name = "caf\xE9\n.json";
  directory_.write(name, to_json(test::sample_job()));
  EXPECT_EQ(read_run_file((directory_ / name).string()).name,
            (directory_ / "caf\xEF\xBF\xBD\n.json").string());
  directory_.write(name, "{}");
  const std::string message = refusal(directory_ / name);
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(RunFile, IsShownWithoutControlCharactersInMessages) {
  const std::string message =
      refusal_after([](json& d) { d["environment"]["a\x1b[31m\n"] = json::array(); });
  EXPECT_EQ(message, "run.json: environment.\"a\\x1B[31m\\x0A\" must be a string, found an array");
  const std::string long_message =
      refusal_after([](json& d) { d["environment"][std::string(100'000, 'a')] = json::array(); });
  EXPECT_LT(long_message.size(), 200U);
}

}  // namespace
}  // namespace hpl::page
