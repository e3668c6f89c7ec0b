#include "gemm/result/result.h"

#include <limits>

#include <gtest/gtest.h>

#include "support/test_files.h"

namespace hpl::gemm {
namespace {

TEST(MachineRates, KnowTheDepthAtWhichMovingCTakesAsLongAsTheProduct) {
  const MachineRates rates{
      .kernel = 55e12, .in_alone = 55e9, .out_alone = 55e9, .in_both = 47e9, .out_both = 50e9};
  EXPECT_DOUBLE_EQ(rates.link(), 47e9);
  const double depth = rates.break_even_depth();
  EXPECT_NEAR(depth, 4681, 1);
  // A block of any size: 2 s^2 k / F = 8 s^2 / B.
  EXPECT_NEAR(2 * depth / rates.kernel, 8 / rates.link(), 1e-15);
}

TEST(MachineRates, AllowWhatTheSlowestOfKernelAndLinkDoes) {
  const MachineRates rates{
      .kernel = 50e12, .in_alone = 55e9, .out_alone = 55e9, .in_both = 40e9, .out_both = 50e9};
  const Shape deep{65536, 65536, 16384}, flat{65536, 65536, 1024};
  EXPECT_DOUBLE_EQ(rates.least_seconds(deep, least_traffic(deep, true)), deep.flops() / 50e12);
  const Traffic least = least_traffic(flat, true);
  EXPECT_DOUBLE_EQ(rates.least_seconds(flat, least), static_cast<double>(least.in()) / 40e9);
  const MachineRates one_way{
      .kernel = 50e12, .in_alone = 55e9, .out_alone = 55e9, .out_both = 50e9};
  EXPECT_DOUBLE_EQ(one_way.link(), 50e9);
  EXPECT_DOUBLE_EQ(one_way.least_seconds(flat, least_traffic(flat, false)),
                   static_cast<double>(least.c_out) / 50e9);
}

JobResult job_with(Verdict verdict) {
  CaseResult one{.shape = {10, 20, 30}, .rates = {.kernel = 1e9, .in_both = 1e9, .out_both = 1e9}};
  one.variants.push_back({.variant = Variant::Hybrid,
                          .seconds = 2,
                          .rate = 6000,
                          .host_gain = 0.8,
                          .verdict = verdict});
  JobResult job;
  job.back_end = "cpu";
  job.cases.push_back(one);
  return job;
}

TEST(JobResult, PassesWhenEveryResultIsWithinItsBound) {
  EXPECT_TRUE(job_with({.product_ratio = 0.1, .element_ratio = 1}).passed());
  EXPECT_FALSE(job_with({.product_ratio = 1.1, .element_ratio = 0}).passed());
  EXPECT_FALSE(job_with({.product_ratio = 0, .element_ratio = 2}).passed());
}

TEST(JobResult, IsTheSameAsTextAndAsJson) {
  const JobResult job = job_with({.product_ratio = std::numeric_limits<double>::infinity()});
  const Record::Json json = to_json_value(job);
  EXPECT_EQ(json["program"]["name"], "xhpl-gemm");
  EXPECT_EQ(json["products"][0]["n"], 20);
  EXPECT_EQ(json["products"][0]["variants"][0]["variant"], "hb");
  EXPECT_EQ(json["products"][0]["variants"][0]["host_gain"], 0.8);
  EXPECT_TRUE(json["products"][0]["variants"][0]["check"]["product_ratio"].is_null());
  const std::string text = case_text(job.cases[0]);
  EXPECT_NE(text.find("m = 10, n = 20, k = 30"), std::string::npos) << text;
  EXPECT_NE(text.find("FAILED"), std::string::npos) << text;
  EXPECT_NE(text.find("80 % of the host's own rate gained"), std::string::npos) << text;
}

TEST(JobResult, IsReadAsItWasWritten) {
  JobResult job = job_with({.product_ratio = 0.5});
  job.pinned = false;
  job.host_threads = 4;
  CaseResult& one = job.cases[0];
  one.block_rows = one.block_cols = one.piece_depth = one.blocks = 1;
  VariantResult& variant = one.variants[0];
  variant.units_down = variant.units_across = 3;
  variant.host_flops = 6000;
  variant.stages = {{Stage::Load2, {.busy = 1, .bytes = 2}, {.busy = 3}}};
  const Record::Json written = to_json_value(job);
  const auto read = from_json_value<JobResult>(JsonCursor(written, "gemm.json"));
  EXPECT_EQ(to_json_value(read), written);
  EXPECT_FALSE(read.pinned);
  EXPECT_DOUBLE_EQ(read.cases[0].variants[0].host_flops, 6000);
}

TEST(JobResult, HasThePublishedSchema) {
  EXPECT_EQ(schema_text<JobResult>(),
            read_json_text(test::source_directory() + "/lab/gemm/gemm.schema.json"));
}

}  // namespace
}  // namespace hpl::gemm
