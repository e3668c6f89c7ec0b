// The documents that the program writes, held against the schemas of docs/schema by a validator
// that knows nothing of this project.
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema_test.h"

namespace hpl::test {
namespace {

class JsonSchema : public SchemaTest {
 protected:
  void SetUp() override {
    if (!python()) GTEST_SKIP() << "no Python with the package jsonschema (python3-jsonschema)";
  }
};

TEST_F(JsonSchema, DescribesWhatEveryKindOfJobWrites) {
  write_dat({.orders = {0, 60, 1000}, .grid_rows = {1}, .grid_columns = {2}});
  EXPECT_EQ(mpirun_measuring(2, "--json passed.json --repeat 2").exit_code, 0);
  EXPECT_EQ(mpirun(2, "--json failed.json --threshold 1e-30").exit_code, 1);
  EXPECT_EQ(mpirun(2, "--json unchecked.json --threshold 0").exit_code, 0);
  EXPECT_TRUE(valid("passed.json failed.json unchecked.json"));
}

TEST_F(JsonSchema, DescribesGatesEarlyStopsAndChecks) {
  write_dat({.orders = {1000}, .grid_rows = {1}, .grid_columns = {2}});
  EXPECT_EQ(mpirun(2, "--json gates.json --min-gflops 1e9 --repeat 2").exit_code, 4);
  EXPECT_EQ(mpirun(2, "--json stopped.json --stop-after 0.3").exit_code, 0);
  EXPECT_TRUE(valid("gates.json stopped.json"));
  // Whether it finds something is the machine's affair.
  mpirun_measuring(2, "check --share-cores --json check.json");
  EXPECT_TRUE(valid("check.json", "check.schema.json"));
}

TEST_F(JsonSchema, DescribesTheTrialsOfASearch) {
  const Outcome outcome = mpirun(2, "tune -o t.dat -N 200 --NB 32,48 --for 4s");
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_TRUE(valid("t.dat.json", "tune.schema.json"));
}

TEST_F(JsonSchema, DescribesACampaign) {
  const Outcome outcome =
      program({HPL_CAMPAIGN_PATH, "-o", "june", "--run-flags", "-N 60 --NB 8 --no-attainable",
               "--device", "cpu", "--threads", "1"});
  ASSERT_TRUE(shows(outcome, {"\nCampaign: ", "\nwhole   "})) << describe(outcome);
  EXPECT_TRUE(valid("june/campaign.json", "campaign.schema.json"));
}

TEST_F(JsonSchema, DescribesDataSheetsAndPredictions) {
  Words sheets;
  for (const auto& entry : std::filesystem::directory_iterator(HPL_MACHINES_DIR))
    sheets.push_back(entry.path().string());
  EXPECT_GT(sheets.size(), 8U);
  EXPECT_TRUE(valid(sheets, "machine.schema.json"));
  const auto predict = [this](const Words& words) {
    return program(Words{HPL_PREDICT_PATH} + words);
  };
  const std::string sheet = HPL_MACHINES_DIR "/h200.json";
  const Outcome outcome =
      predict(Words{sheet} + "--nodes 1,2 --NB 1024 --model all --json runs.json");
  ASSERT_TRUE(ended_with(outcome, 0, {"simulated"}));
  EXPECT_TRUE(valid("runs.json", "prediction.schema.json"));
  EXPECT_EQ(predict("missing.json").exit_code, 2);
  EXPECT_EQ(predict({sheet, "--json", sheet}).exit_code, 2) << "the sheet must not be lost";
}

using MeasuredRates = JsonSchema;

/// The number of slices by rank and phase, then by row of the trace.
std::map<std::pair<int, std::string>, std::map<std::string, int>> slices_of(
    const nlohmann::json& trace) {
  std::map<std::pair<int, int>, std::string> rows;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("name") == "thread_name")
      rows[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
  std::map<std::pair<int, std::string>, std::map<std::string, int>> slices;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == "X")
      ++slices[{event.at("pid"), event.at("name")}][rows.at({event.at("pid"), event.at("tid")})];
  return slices;
}

TEST_F(MeasuredRates, FollowTheirSchemaAndPredictRuns) {
  constexpr int kSeconds = 300;
  const Outcome measured = mpirun(2, "rates -o rates.json -P 2 -Q 1 --threads 1", kSeconds);
  ASSERT_EQ(measured.exit_code, 0) << describe(measured);
  EXPECT_TRUE(valid("rates.json", "rates.schema.json"));
  // A core does one thing at a time.
  const std::string rates = read_file("rates.json");
  // Rows of U go both ways along a column, and one way in part.
  EXPECT_EQ(nlohmann::json::parse(rates)["links"][0]["neighbours"], "column");
  EXPECT_TRUE(nlohmann::json::parse(rates)["links"][0]["alone"].is_object());
  for (const char* share : {"product_beside_swap", "product_beside_solve", "product_beside_panel",
                            "product_beside_messages"})
    EXPECT_NE(rates.find(std::string("\"") + share + "\": 0.0"), std::string::npos) << share;
  // No two of them make as many products at any time.
  EXPECT_TRUE(std::regex_search(rates, std::regex(R"("second_deviation_seconds": [0-9.e-]*[1-9])")))
      << rates;
  EXPECT_TRUE(ended_with(
      program(Words{HPL_PREDICT_PATH} + "rates.json -N 3000 --NB 128 -P 2 -Q 1 --model all"), 0));
  const Outcome planned =
      mpirun(2, "plan --rates rates.json -N 3000 --NB 128 -P 2 -Q 1 --threads 1");
  EXPECT_TRUE(ended_with(planned, 0, {"by the performance model"}));
  const Outcome compared = mpirun(2,
                                  "--rates rates.json -N 500 --NB 64 -P 2 -Q 1 --threads 1 "
                                  "--no-attainable --json run.json --trace run.trace");
  EXPECT_TRUE(ended_with(compared, 0, {" s by the simulated model, got "}));
  EXPECT_TRUE(valid("run.json", "run.schema.json"));
  // Every task of the run is one of the model's.
  const auto slices = slices_of(json_file("run.trace"));
  for (const char* phase : {"panel factorization", "row swap", "matrix multiply"})
    for (int rank = 0; rank < 2; ++rank) {
      int expected = 0;
      for (const auto& [row, count] : slices.at({rank, phase})) {
        const std::size_t suffix = row.find(", expected");
        if (suffix == std::string::npos) continue;
        expected += count;
        EXPECT_EQ(slices.at({rank, phase}).at(row.substr(0, suffix)), count) << phase << ' ' << row;
      }
      EXPECT_GT(expected, 0) << phase << " of rank " << rank;
    }
}

TEST_F(MeasuredRates, OfSeveralThreadsLeaveProductsThoseThatDoNothingElse) {
  write_dat({.grid_rows = {2}, .grid_columns = {2}});  // for other ranks
  const Outcome measured = mpirun(1, "rates -o rates.json --threads 2", 300);
  ASSERT_EQ(measured.exit_code, 0) << describe(measured);
  const std::string rates = read_file("rates.json");
  for (const char* share : {"product_beside_panel", "product_beside_messages"})
    EXPECT_NE(rates.find(std::string("\"") + share + "\": 0.5"), std::string::npos) << share;
  EXPECT_NE(rates.find("\"second_deviation_seconds\": 0.0"), std::string::npos)
      << "there is nobody to wait for";
  // Some of the threads' time is taken, and not all.
  for (const char* share : {"product_beside_swap", "product_beside_solve"})
    EXPECT_TRUE(
        std::regex_search(rates, std::regex(std::string("\"") + share + R"(": 0\.\d*[1-9])")))
        << share << rates;
}

TEST_F(JsonSchema, LeavesRoomForMembersOfLaterVersions) {
  write_dat({.orders = {60}});
  ASSERT_EQ(mpirun(1, "--json run.json").exit_code, 0);
  std::string document = read_file("run.json");
  document.insert(document.find('{') + 1, "\"later\": {},");
  write_file("later.json", document);
  EXPECT_FALSE(valid("later.json")) << "strict, as for what this version writes";
  const Outcome published =
      program({*python(), "-c",
               "import json, sys, jsonschema\n"
               "jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))\n",
               HPL_SCHEMA_DIR "/run.schema.json", "later.json"});
  EXPECT_EQ(published.exit_code, 0) << describe(published);
}

TEST_F(JsonSchema, IsWhatTheValidatorMeasuresBy) {
  write_file("wrong.json", R"({"schema_version": 1, "runs": [{"gflops": "fast"}]})");
  const testing::AssertionResult result = valid("wrong.json");
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("runs/0/gflops"), std::string::npos)
      << result.message();
}

}  // namespace
}  // namespace hpl::test
