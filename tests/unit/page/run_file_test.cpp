#include "hpl/page/run_file.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpl/base/error.h"
#include "sample_job.h"

namespace hpl::page {
namespace {

using nlohmann::json;

/// The message with which a document is refused.
std::string refusal(const std::string& text) {
  try {
    parse_run_file("run.json", text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

/// That of the sample with one change.
template <class Change>
std::string refusal_after(Change change) {
  json document = json::parse(to_json(test::sample_job()));
  change(document);
  return refusal(document.dump());
}

TEST(RunFile, HoldsWhatTheReportHolds) {
  JobReport job = test::sample_job();
  job.runs.push_back(test::cluster_run(3));
  job.runs.push_back(test::singular_run());
  const RunFile file = test::sample_file(job);
  EXPECT_EQ(file.program, "xhpl 1.2.3");
  EXPECT_EQ(file.environment.front(), (std::pair<std::string, std::string>("host", "node01")));
  EXPECT_EQ(file.exit_code, 0);
  ASSERT_EQ(file.runs.size(), 3U);
  EXPECT_EQ(file.runs[0].variant, "WR11C2R4");
  EXPECT_EQ(file.runs[0].order, 1000);
  EXPECT_EQ(file.runs[0].grid_columns, 3);
  EXPECT_EQ(file.runs[0].ceiling_gflops, 0.5);
  EXPECT_EQ(file.runs[0].ceiling_source, "alone after run 1");
  EXPECT_EQ(file.runs[0].scaled_residual, 3.21e-3);
  EXPECT_EQ(file.runs[0].steps.at(1).columns_done, 256);
  EXPECT_EQ(file.runs[0].phases.at(0).maximum_rank, 5);
  ASSERT_EQ(file.runs[1].devices.size(), 3U);
  EXPECT_EQ(file.runs[1].devices[2].temperature->maximum, 91);
  EXPECT_EQ(file.runs[1].phases.at(6).rank_seconds, (std::vector<double>{2.0, 2.0, 2.4}));
  EXPECT_FALSE(file.runs[1].device_findings.empty());
  EXPECT_EQ(file.runs[2].zero_pivot_column, 17);
  EXPECT_EQ(file.runs[2].status, "failed");
}

TEST(RunFile, OfAJobThatGoesOnHasNoExitCode) {
  JobReport job = test::sample_job();
  job.exit_code.reset();
  EXPECT_FALSE(test::sample_file(job).exit_code);
}

TEST(RunFile, PassesOverMembersItDoesNotKnow) {
  json document = json::parse(to_json(test::sample_job()));
  document["weather"] = {{"sunny", true}};
  document["runs"][0]["spec"]["weather"] = "fine";
  document["runs"][0].erase("devices");
  EXPECT_EQ(parse_run_file("run.json", document.dump()).runs.size(), 1U);
}

TEST(RunFile, ThatIsNoJsonIsRefusedWithThePlace) {
  EXPECT_EQ(refusal("{\n\"a\": oops}").rfind("run.json: must be JSON as xhpl --json writes it", 0),
            0U)
      << refusal("{\n\"a\": oops}");
  EXPECT_NE(refusal("{\n\"a\": oops}").find("line 2, column"), std::string::npos);
  EXPECT_NE(refusal("").find("must be JSON"), std::string::npos);
  EXPECT_NE(refusal("\"\xff\"").find("must be JSON"), std::string::npos);
  EXPECT_NE(refusal(std::string(100000, '[')).find("must be JSON"), std::string::npos);
}

TEST(RunFile, OfAnotherKindIsRefused) {
  EXPECT_EQ(refusal("[1]"), "run.json: the document must be an object, found an array");
  EXPECT_EQ(refusal("{}"), "run.json: the document must have a member schema_version, found none");
  EXPECT_EQ(refusal_after([](json& d) { d["schema_version"] = 7; }),
            "run.json: schema_version must be 1, found 7");
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

TEST(RunFile, ThatCannotBeReadIsNamedWithTheReason) {
  const auto message = [](const std::string& path) {
    try {
      read_run_file(path);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("/no/such/run.json"),
            "/no/such/run.json: cannot be read: No such file or directory");
  EXPECT_EQ(message(testing::TempDir()), testing::TempDir() + ": cannot be read: Is a directory");
}

TEST(RunFile, IsReadFromDisk) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "run_file_test.json";
  std::ofstream(path) << to_json(test::sample_job());
  EXPECT_EQ(read_run_file(path.string()).name, path.string());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace hpl::page
