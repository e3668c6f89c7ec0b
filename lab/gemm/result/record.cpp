#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gemm/result/result.h"
#include "hpcx/backend.h"

namespace hpl::gemm {

namespace {

constexpr double kGiga = 1e9;

/// A rate in flop/s that documents hold in GFLOP/s.
void describe_rate(Record& record, std::string_view name, double& rate, std::string_view meaning) {
  record.converted(
      name, [&] { return rate / kGiga; }, [&](double found) { rate = kGiga * found; }, meaning,
      kNotNegative);
}

/// A variant beside the product that it computed.
struct VariantRow {
  VariantResult result;
  double share_of_kernel = 0, share_of_allowed = 0, host_share = 0;
};

void describe(Record& record, VariantRow& row) {
  record.type("variant");
  VariantResult& one = row.result;
  record("variant", one.variant, kVariants);
  record("seconds", one.seconds, {}, {.above = 0, .finite = true});
  describe_rate(record, "gflops", one.rate, {});
  record("share_of_kernel", row.share_of_kernel, {}, kNotNegative);
  record("share_of_allowed", row.share_of_allowed, {}, kNotNegative);
  record("fill_seconds", one.fill, "until the first product begins", kNotNegative);
  record("drain_seconds", one.drain, "from the end of the last product on", {.finite = true});
  record("imbalance", one.imbalance,
         "how much earlier the first of devices and host was done than the last, as a part of the "
         "time",
         kNotNegative);
  record.converted(
      "units",
      [&] {
        return std::array{one.units_down, one.units_across};
      },
      [&](const std::array<std::int64_t, 2>& units) {
        one.units_down = units[0];
        one.units_across = units[1];
      },
      "work units, p and q", kNotZero);
  record("traffic_bytes", one.traffic);
  record("host_share", row.host_share, "of the product, computed by the host's cores",
         {.minimum = 0, .maximum = 1, .finite = true});
  record("host_gain", one.host_gain, "what hb gains over dp, in parts of the host's own rate",
         {.finite = true, .added = true});
  record("remark", one.remark, "why the host takes no part; empty: it does", kAddedLater);
  record("stages", one.stages);
  record("check", one.verdict);
}

std::vector<VariantRow> rows_of(const CaseResult& one) {
  const double allowed = one.shape.flops() / one.least_seconds(one.beta != 0);
  std::vector<VariantRow> rows;
  for (const VariantResult& variant : one.variants)
    rows.push_back({.result = variant,
                    .share_of_kernel = one.rates.kernel > 0 ? variant.rate / one.rates.kernel : 0,
                    .share_of_allowed = variant.rate / allowed,
                    .host_share = variant.host_flops / one.shape.flops()});
  return rows;
}

void take_rows(CaseResult& one, std::vector<VariantRow> rows) {
  for (VariantRow& row : rows) {
    row.result.host_flops = row.host_share * one.shape.flops();
    one.variants.push_back(std::move(row.result));
  }
}

void describe_environment(Record& record, JobResult& job) {
  record("host", job.host);
  record("processor", job.host_processor);
  record("host threads", job.host_threads, "that compute the host's part", kNotZero);
  record("BLAS", job.blas);
  record("back end", job.back_end, hpcx::kBackends);
  record.computed("devices", [&] { return fmt::format("{}", fmt::join(job.devices, "; ")); });
  record.converted(
      "matrices", [&] { return std::string(job.pinned ? "pinned" : "pageable"); },
      [&](const std::string& word) { job.pinned = word == "pinned"; }, one_of("pinned", "pageable"),
      "pageable: copies take two stages more");
}

void describe_plan(Record& record, CaseResult& one) {
  record("m", one.shape.rows, {}, kNotZero);
  record("n", one.shape.cols, {}, kNotZero);
  record("k", one.shape.depth, {}, kNotZero);
  record("alpha", one.alpha, {}, {.finite = true});
  record("beta", one.beta, {}, {.finite = true});
  record.converted(
      "block",
      [&] {
        return std::array{one.block_rows, one.block_cols, one.piece_depth};
      },
      [&](const std::array<std::int64_t, 3>& block) {
        one.block_rows = block[0];
        one.block_cols = block[1];
        one.piece_depth = block[2];
      },
      "rows and columns of the largest block of C, depth of a piece of A and B", kNotZero);
  record("blocks", one.blocks, "of C, on all devices", kNotZero);
  record("device_bytes", one.device_bytes, "used of a device, streams included", kCount);
  record("staging_bytes", one.staging_bytes, "pinned memory through which pageable matrices go",
         kCount);
}

}  // namespace

void describe(Record& record, StageTotal& total) {
  record.type("total", "what a stage did");
  record("seconds", total.busy, "in which at least one piece of it was under way", kNotNegative);
  record("bytes", total.bytes, {}, kNotNegative);
  record("flops", total.flops, {}, kNotNegative);
  record.computed(
      "bytes_per_second", [&] { return total.bandwidth(); }, {}, kNotNegative);
}

void describe(Record& record, StageResult& stage) {
  record("stage", stage.stage, kStages);
  record("alone", stage.alone);
  record("in_pipeline", stage.in_pipeline);
}

void describe(Record& record, Traffic& traffic) {
  record("a", traffic.a, {}, kCount);
  record("b", traffic.b, {}, kCount);
  record("c_in", traffic.c_in, {}, kCount);
  record("c_out", traffic.c_out, {}, kCount);
}

void describe(Record& record, Verdict& verdict) {
  record.computed("passed", [&] { return verdict.passed(); });
  record("product_ratio", verdict.product_ratio,
         "error of C x in parts of its rounding bound, the largest of all rows; null: not a number",
         {.minimum = 0});
  record("element_ratio", verdict.element_ratio, "the same of sampled elements", {.minimum = 0});
}

void describe(Record& record, CaseResult& one) {
  record.type("case");
  describe_plan(record, one);
  describe_rate(record, "kernel_gflops", one.rates.kernel,
                "the same products on data that is on the device, all devices together");
  describe_rate(record, "host_gflops", one.rates.host, "the host's cores alone; 0: not measured");
  record.group("link_bytes_per_second", [&](Record& inner) {
    inner("in_alone", one.rates.in_alone, {}, kNotNegative);
    inner("out_alone", one.rates.out_alone, {}, kNotNegative);
    inner("in_both", one.rates.in_both, "while copies go out as well", kNotNegative);
    inner("out_both", one.rates.out_both, {}, kNotNegative);
  });
  const auto depth = [&] { return one.rates.break_even_depth(); };
  record.computed("break_even_depth", depth, "k* = 4 F / B", kNotNegative);
  record.computed(
      "k_over_break_even",
      [&] { return depth() > 0 ? static_cast<double>(one.shape.depth) / depth() : 0; }, {},
      kNotNegative);
  record.computed(
      "allowed_gflops",
      [&] { return one.shape.flops() / one.least_seconds(one.beta != 0) / kGiga; },
      "what the kernel's rate and moving A, B and C once allow", kNotNegative);
  record.converted(
      "variants", [&] { return rows_of(one); },
      [&](std::vector<VariantRow> rows) { take_rows(one, std::move(rows)); });
}

void describe(Record& record, JobResult& job) {
  record.document({.title = "xhpl-gemm: products of matrices in host memory",
                   .description = "Written by xhpl-gemm --json."});
  record.group("program", [&](Record& inner) {
    inner.computed(
        "name", [] { return std::string_view("xhpl-gemm"); }, one_of("xhpl-gemm"));
    inner("version", job.version);
  });
  record.group("environment", [&](Record& inner) { describe_environment(inner, job); });
  record("remarks", job.remarks);
  record("products", job.cases);
  record("exit_code", job.exit_code, "null: the job went on when this was written",
         {.minimum = 0, .maximum = 3});
  record("error", job.error, "why the job ended early");
}

}  // namespace hpl::gemm
