#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "hpl/gemm/result/result.h"

namespace hpl::gemm {

namespace {

using Json = nlohmann::ordered_json;

/// JSON knows no infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const StageTotal& total) {
  return {{"seconds", total.busy},
          {"bytes", total.bytes},
          {"flops", total.flops},
          {"bytes_per_second", total.bandwidth()}};
}

Json to_json(const Traffic& traffic) {
  return {{"a", traffic.a}, {"b", traffic.b}, {"c_in", traffic.c_in}, {"c_out", traffic.c_out}};
}

Json to_json(const CaseResult& whole, const VariantResult& one) {
  const double allowed = whole.shape.flops() / whole.least_seconds(whole.beta != 0);
  Json stages = Json::array();
  for (const StageResult& stage : one.stages)
    stages.push_back({{"stage", to_string(stage.stage)},
                      {"alone", to_json(stage.alone)},
                      {"in_pipeline", to_json(stage.in_pipeline)}});
  Json json{{"variant", to_string(one.variant)},
            {"seconds", one.seconds},
            {"gflops", one.rate / 1e9},
            {"share_of_kernel", whole.rates.kernel > 0 ? one.rate / whole.rates.kernel : 0},
            {"share_of_allowed", one.rate / allowed},
            {"fill_seconds", one.fill},
            {"drain_seconds", one.drain},
            {"imbalance", one.imbalance},
            {"units", {one.units_down, one.units_across}},
            {"traffic_bytes", to_json(one.traffic)},
            {"host_share", one.host_flops / whole.shape.flops()},
            {"stages", std::move(stages)},
            {"check",
             {{"passed", one.verdict.passed()},
              {"product_ratio", number(one.verdict.product_ratio)},
              {"element_ratio", number(one.verdict.element_ratio)}}}};
  if (one.host_gain) json["host_gain"] = *one.host_gain;
  if (!one.remark.empty()) json["remark"] = one.remark;
  return json;
}

Json to_json(const CaseResult& one) {
  Json variants = Json::array();
  for (const VariantResult& variant : one.variants)
    variants.push_back(to_json(one, variant));
  const double depth = one.rates.break_even_depth();
  return {{"m", one.shape.rows},
          {"n", one.shape.cols},
          {"k", one.shape.depth},
          {"alpha", one.alpha},
          {"beta", one.beta},
          {"block", {one.block_rows, one.block_cols, one.piece_depth}},
          {"blocks", one.blocks},
          {"device_bytes", one.device_bytes},
          {"staging_bytes", one.staging_bytes},
          {"kernel_gflops", one.rates.kernel / 1e9},
          {"host_gflops", one.rates.host / 1e9},
          {"link_bytes_per_second",
           {{"in_alone", one.rates.in_alone},
            {"out_alone", one.rates.out_alone},
            {"in_both", one.rates.in_both},
            {"out_both", one.rates.out_both}}},
          {"break_even_depth", depth},
          {"k_over_break_even", depth > 0 ? static_cast<double>(one.shape.depth) / depth : 0},
          {"allowed_gflops", one.shape.flops() / one.least_seconds(one.beta != 0) / 1e9},
          {"variants", std::move(variants)}};
}

}  // namespace

std::string to_json(const JobResult& job) {
  Json cases = Json::array();
  for (const CaseResult& one : job.cases)
    cases.push_back(to_json(one));
  const Json document{{"schema_version", 1},
                      {"program", {{"name", "xhpl-gemm"}, {"version", job.version}}},
                      {"environment",
                       {{"host", job.host},
                        {"processor", job.host_processor},
                        {"host threads", job.host_threads},
                        {"BLAS", job.blas},
                        {"back end", job.back_end},
                        {"devices", fmt::format("{}", fmt::join(job.devices, "; "))},
                        {"matrices", job.pinned ? "pinned" : "pageable"}}},
                      {"remarks", job.remarks},
                      {"products", std::move(cases)},
                      {"exit_code", job.exit_code ? Json(*job.exit_code) : Json(nullptr)},
                      {"error", job.error ? Json(*job.error) : Json(nullptr)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hpl::gemm
