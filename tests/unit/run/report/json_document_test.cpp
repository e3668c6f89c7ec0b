// The document of a job: one description writes it, reads it and makes its schema.
#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpl/base/record/record.h"
#include "hpl/run/report/campaign_report.h"
#include "hpl/run/report/json_report.h"
#include "unit/report/fixed_results.h"
#include "unit/report/schema_check.h"

namespace hpl {
namespace {

using nlohmann::json;

/// Runs with everything that a document can hold.
JobReport full_job() {
  JobReport job = test::fixed_job();
  job.runs.push_back(test::stopped_run());
  job.runs.push_back(test::slower_run());
  job.runs[0].checksums = ChecksumResult{
      .interval = 4,
      .comparisons = 2,
      .faults = {{.rank = 1, .last_step = 3, .rows = 1, .difference = 0.5, .tolerance = 1e-9}}};
  job.runs[0].host_work = HostWork{.first_share = 0.25,
                                   .last_share = 0.5,
                                   .work = 1,
                                   .all_work = 4,
                                   .flops = 2e9,
                                   .seconds = 2,
                                   .apart_seconds = 1,
                                   .step_seconds = 4,
                                   .given_up = 1};
  job.runs[0].power = test::metered_power();
  job.runs[0].devices = {{.backend = "cuda",
                          .sensors = {.clock_mhz = SensorRange{1, 2, 3},
                                      .throttle_reasons = {{"power cap", 0.5}},
                                      .core_power = PowerAverages{},
                                      .phase_joules = {1, 2}}},
                         {.rank = 1, .backend = "cuda"}};
  job.runs[0].peak = PeakRate{8, "2 x 4"};
  job.runs[0].transports[0] = {.ranks = 3, .name = "nccl", .bandwidth = 350};
  job.runs[0].traffic = {.host_to_device = 1, .device_to_host = 2, .peer = 3, .mpi = 4};
  job.runs[0].spec.row_weights = {1, 1.5};
  job.runs[1].residual->samples = {
      .rows = 32, .wrong = 1, .first_row = 5, .residual = 1, .own = 2, .tolerance = 1e-9};
  job.runs[1].differs_from = 17;
  job.runs[1].rank_phases = std::vector<PhaseTimes>(2);
  job.runs[1].rank_gflops = {1, 2};
  job.runs[4].expected->hidden = {Phase::PanelBroadcast};
  job.gates = judge({.min_gflops = 1, .min_efficiency = 1, .max_spread = 1}, job.runs);
  return job;
}

json parsed(const JobReport& job) {
  return json::parse(to_json(job));
}

JobReport read_back(const JsonCursor::Json& document) {
  return from_json_value<JobReport>(JsonCursor(document, "run.json"));
}

TEST(JsonDocument, FollowsThePublishedSchema) {
  const test::SchemaCheck check = test::SchemaCheck::published("run");
  JobReport job = full_job();
  job.runs[0].checksums->faults[0].difference = INFINITY;
  job.runs[1].residual->samples.residual = INFINITY;
  job.runs[1].rank_gflops = {1, std::nan("")};
  EXPECT_EQ(check.faults(parsed(job)), "");
  EXPECT_EQ(check.faults(parsed(JobReport{})), "");
}

TEST(JsonDocument, IsReadAsItWasWritten) {
  const JobReport job = full_job();
  const JobReport read = read_back(to_json_value(job));
  EXPECT_EQ(to_json(read), to_json(job));
  EXPECT_EQ(read.runs[0].checksums->faults[0].rank, 1);
  EXPECT_EQ(read.runs[4].rank_working[3][Phase::RowSwap], 0.75);
  EXPECT_EQ(read.runs[4].expected->hidden, std::vector{Phase::PanelBroadcast});
  EXPECT_EQ(to_json(read_back(to_json_value(JobReport{}))), to_json(JobReport{}));
}

TEST(JsonDocument, HoldsARunOfHplMxpAndReadsDocumentsThatKnewNone) {
  JobReport job = test::fixed_job();
  job.runs = {test::mixed_run()};
  job.plan = {job.runs[0].spec};
  job.header.parameters = parameter_block(job.plan);
  json document = parsed(job);
  EXPECT_EQ(test::SchemaCheck::published("run").faults(document), "");
  const json& spec = document["runs"][0]["spec"];
  EXPECT_EQ(spec["mixed"]["matrix"], "conforming");
  EXPECT_EQ(spec["mixed"]["operands"], "fp16");
  EXPECT_EQ(document["runs"][0]["refinement"]["iterations"], 2);
  EXPECT_TRUE(document["runs"][0]["efficiency_of_peak"].is_null());
  const RunResult read = read_back(to_json_value(job)).runs[0];
  EXPECT_EQ(read.spec.mixed, job.runs[0].spec.mixed);
  EXPECT_EQ(read.refinement->history, job.runs[0].refinement->history);

  JsonCursor::Json earlier = to_json_value(test::fixed_job());
  for (auto& run : earlier["runs"]) {
    run.erase("refinement");
    run["spec"].erase("mixed");
  }
  EXPECT_FALSE(read_back(earlier).runs[0].spec.mixed);
}

TEST(JsonDocument, IsRefusedByTheSchemaWhenAMemberIsMissingOrOfAnotherType) {
  const test::SchemaCheck check = test::SchemaCheck::published("run");
  json document = parsed(test::fixed_job());
  document["runs"][0].erase("gflops");
  document["tally"]["passed"] = "one";
  document["runs"][1]["spec"]["surplus"] = 1;
  const std::string faults = check.faults(document);
  EXPECT_NE(faults.find("/runs/0: no gflops"), std::string::npos) << faults;
  EXPECT_NE(faults.find("/tally/passed: wrong type"), std::string::npos) << faults;
  EXPECT_NE(faults.find("/runs/1/spec: unknown surplus"), std::string::npos) << faults;
}

TEST(JsonDocument, HoldsWhatTheJobWasMadeOf) {
  const json document = parsed(test::fixed_job());
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
  const json run = parsed(test::fixed_job())["runs"][0];
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
  EXPECT_EQ(run["notes"][0]["about"], "DEPTH");
}

TEST(JsonDocument, HoldsChoicesRemarksAndResourcesAsValues) {
  JobReport job = test::fixed_job();
  EXPECT_TRUE(parsed(job)["resources"].is_null());
  job.header.choices = {{"pipeline", "serial", "--pipeline asks for it"}};
  job.header.remarks = {warning("NB", "NB = 7 is odd")};
  job.header.resources = JobResources{.ranks = 6, .nodes = 2, .threads_per_rank = 3};
  const json document = parsed(job);
  EXPECT_EQ(document["remarks"], json::parse(R"(["NB = 7 is odd"])"));
  EXPECT_EQ(document["choices"], json::parse(R"([{"about": "pipeline", "value": "serial",
                                  "reason": "--pipeline asks for it"}])"));
  EXPECT_EQ(document["notes"],
            json::parse(R"([{"about": "NB", "severity": "warning", "text": "NB = 7 is odd"}])"));
  EXPECT_EQ(document["resources"]["nodes"], 2);
  EXPECT_EQ(document["resources"]["threads_per_rank"], 3);

  JsonCursor::Json written = to_json_value(job);
  EXPECT_EQ(read_back(written).header.remarks, job.header.remarks);
  EXPECT_EQ(read_back(written).runs[0].remarks, job.runs[0].remarks);
  written.erase("notes");  // as in earlier documents
  written["runs"][0].erase("notes");
  EXPECT_EQ(read_back(written).header.remarks, (std::vector<Remark>{{.text = "NB = 7 is odd"}}));
  EXPECT_EQ(read_back(written).runs[0].remarks,
            (std::vector<Remark>{{.text = "DEPTH 3 runs as 1"}}));
}

TEST(JsonDocument, HoldsWhatWasExpectedOfARunByPhaseAndRank) {
  JobReport job = test::fixed_job();
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

TEST(JsonDocument, HoldsTheBytesOfEachWay) {
  JobReport job = test::fixed_job();
  job.runs[0].traffic = {.host_to_device = 1, .device_to_host = 2, .peer = 3, .mpi = 4};
  EXPECT_EQ(parsed(job)["runs"][0]["bytes"],
            json::parse(R"({"host_to_device":1,"device_to_host":2,"peer":3,"mpi":4})"));
}

TEST(JsonDocument, HoldsRpeakItsSourceAndTheShare) {
  JobReport job = test::fixed_job();
  job.runs[0].peak = PeakRate{4 * job.runs[0].gflops, "6 x (--rpeak 1)"};
  const json run = parsed(job)["runs"][0];
  EXPECT_DOUBLE_EQ(run["rpeak_gflops"].get<double>(), 4 * job.runs[0].gflops);
  EXPECT_EQ(run["rpeak_source"], "6 x (--rpeak 1)");
  EXPECT_DOUBLE_EQ(run["efficiency_of_peak"].get<double>(), 0.25);
}

TEST(JsonDocument, NamesTheZeroPivotAndHasNoResidualThen) {
  const json run = parsed(test::fixed_job())["runs"][2];
  EXPECT_EQ(run["zero_pivot_column"], 17);
  EXPECT_TRUE(run["residual"].is_null());
  EXPECT_EQ(run["passed"], false);
}

TEST(JsonDocument, WritesNullForNumbersThatAreNotFinite) {
  JobReport job = test::fixed_job();
  job.runs[0].residual->scaled = std::numeric_limits<double>::quiet_NaN();
  job.runs[0].residual->solution_one = std::numeric_limits<double>::infinity();
  const json run = parsed(job)["runs"][0];
  EXPECT_TRUE(run["residual"]["scaled"].is_null());
  EXPECT_TRUE(run["residual"]["solution_one"].is_null());
  EXPECT_EQ(run["residual"]["passed"], false);
  EXPECT_EQ(run["passed"], false);
}

TEST(JsonDocument, GivesNoVerdictOnAnUncheckedRun) {
  JobReport job = test::fixed_job();
  job.runs[0].residual.reset();
  const json run = parsed(job)["runs"][0];
  EXPECT_EQ(run["status"], "unchecked");
  EXPECT_TRUE(run["passed"].is_null());
}

TEST(JsonDocument, KeepsEveryBitOfADouble) {
  JobReport job = test::fixed_job();
  job.runs[0].seconds = 0.1 + 0.2;
  EXPECT_EQ(parsed(job)["runs"][0]["seconds"].get<double>(), 0.1 + 0.2);
}

TEST(JsonDocument, MendsTextThatIsNotUtf8) {
  JobReport job = test::fixed_job();
  job.header.environment = {{"host", "caf\xe9"}};
  EXPECT_EQ(parsed(job)["environment"]["host"], "caf\xef\xbf\xbd");
}

TEST(JsonDocument, HoldsPowerOfTheCorePhase) {
  JobReport job = test::fixed_job();
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

TEST(CampaignDocument, IsReadAsItWasWritten) {
  const CampaignReport campaign{.program = {.name = "xhpl-campaign", .version = "1.2.3"},
                                .hosts = {"n2", "n1"},
                                .per_node = 8,
                                .steps = {{.name = "check",
                                           .command = "xhpl check",
                                           .hosts = {"n1"},
                                           .verdict = Verdict::Slow,
                                           .exit_code = 4,
                                           .seconds = 1.5,
                                           .document = "check.json"},
                                          {.name = "node", .reason = "one node is the whole"}}};
  const CampaignReport read =
      parse_document<CampaignReport>("campaign.json", json_text(to_json_value(campaign)), "a test");
  EXPECT_EQ(to_json_value(read), to_json_value(campaign));
  EXPECT_FALSE(read.steps[1].verdict) << "skipped";
  EXPECT_FALSE(read.exit_code) << "it goes on";
}

TEST(CampaignDocument, HasItsReportsBesideItWhateverItSays) {
  const CampaignReport campaign{.steps = {{.name = "check", .document = "check.json"},
                                          {.name = "node"},
                                          {.name = "whole", .document = "../../etc/whole.json"}}};
  EXPECT_EQ(reports_of(campaign, "may/campaign.json"),
            (std::vector<std::filesystem::path>{"may/check.json", "may/whole.json"}));
  EXPECT_EQ(reports_of(campaign, "campaign.json").front(), "check.json");
}

}  // namespace
}  // namespace hpl
