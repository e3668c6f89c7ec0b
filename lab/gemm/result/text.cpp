#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "gemm/result/result.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/text/quantity.h"

namespace hpl::gemm {

namespace {

std::string flops_text(double flops_per_second) {
  return hpl::rate_text(flops_per_second / 1e9, 4);
}
double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}
/// "55.21 GB/s", "-" of a stage that did not take place.
std::string bandwidth_text(const StageTotal& total) {
  return total.busy > 0 ? fmt::format("{:.2f}", total.bandwidth() / 1e9) : "-";
}
std::string seconds_text(const StageTotal& total) {
  return total.busy > 0 ? fmt::format("{:.4f}", total.busy) : "-";
}

void add_rates(std::string& text, const CaseResult& result) {
  const auto out = std::back_inserter(text);
  const MachineRates& rates = result.rates;
  fmt::format_to(out, "  kernel    {} on data that is on the device\n", flops_text(rates.kernel));
  fmt::format_to(
      out,
      "  link      in {:.2f} GB/s alone, {:.2f} beside copies out; out {:.2f} alone, {:.2f} "
      "beside copies in\n",
      rates.in_alone / 1e9, rates.in_both / 1e9, rates.out_alone / 1e9, rates.out_both / 1e9);
  fmt::format_to(
      out,
      "  k* = 4 F / B = {:.0f}: the depth at which a block of C takes as long to move as to "
      "compute; k / k* = {:.2f}\n",
      rates.break_even_depth(),
      rates.break_even_depth() > 0
          ? static_cast<double>(result.shape.depth) / rates.break_even_depth()
          : 0);
  const double least = result.least_seconds(result.beta != 0);
  fmt::format_to(out, "  kernel and link allow {}\n", flops_text(result.shape.flops() / least));
  if (rates.host > 0) fmt::format_to(out, "  host      {} alone\n", flops_text(rates.host));
}

void add_variants(std::string& text, const CaseResult& result) {
  const auto out = std::back_inserter(text);
  // A variant that was faster than the kernel alone shows that this was measured too low.
  double fastest = 0;
  for (const VariantResult& one : result.variants)
    fastest = std::max(fastest, one.rate);
  const double kernel = std::max(result.rates.kernel, fastest);
  const double allowed =
      std::max(result.shape.flops() / result.least_seconds(result.beta != 0), fastest);
  const RateUnit unit = rate_unit(fastest / 1e9);
  fmt::format_to(out, "\n  {:<8}{:>10}{:>12}{:>10}{:>10}{:>9}{:>9}{:>9}{:>9}{:>8}{:>10}\n",
                 "variant", "seconds", unit.name, "% kernel", "% allowed", "adds %", "fill s",
                 "drain s", "unbal. %", "units", "check");
  double before = 0;
  for (const VariantResult& one : result.variants) {
    const std::string adds =
        before > 0 ? fmt::format("{:+.1f}", 100 * (one.rate / before - 1)) : "";
    fmt::format_to(
        out,
        "  {:<8}{:>10.4f}{:>12.2f}{:>10.1f}{:>10.1f}{:>9}{:>9.4f}{:>9.4f}{:>9.2f}{:>8}{:>10}\n",
        to_string(one.variant), one.seconds, one.rate / 1e9 / unit.gflops,
        percent(one.rate, kernel), percent(one.rate, allowed), adds, one.fill, one.drain,
        100 * one.imbalance, fmt::format("{}x{}", one.units_down, one.units_across),
        one.verdict.passed() ? "PASSED" : "FAILED");
    before = one.rate;
  }
  text +=
      "  (% kernel: of the products on data that is on the device; % allowed: of what kernel and "
      "link "
      "allow;\n   adds %: to the variant above; fill s, drain s: before the first product, after "
      "the "
      "last;\n   unbal. %: of the time, from the first device done to the last; units: blocks of "
      "C, "
      "down x across)\n";
  for (const VariantResult& one : result.variants) {
    if (one.variant == Variant::Hybrid) {
      fmt::format_to(out, "  {}: the host computed {:.2f} % of the product", to_string(one.variant),
                     percent(one.host_flops, result.shape.flops()));
      if (one.host_gain)
        fmt::format_to(out, "; {:.0f} % of the host's own rate gained over dp",
                       100 * *one.host_gain);
      fmt::format_to(out, "\n");
    }
    if (!one.remark.empty()) fmt::format_to(out, "  {}: {}\n", to_string(one.variant), one.remark);
  }
}

void add_stages(std::string& text, const VariantResult& one) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "\n  {}: {} in (A {}, B {}, C {}), {} out\n", describe(one.variant),
                 bytes_text(one.traffic.in()), bytes_text(one.traffic.a), bytes_text(one.traffic.b),
                 bytes_text(one.traffic.c_in), bytes_text(one.traffic.c_out));
  fmt::format_to(out, "  {:<14}{:>10}{:>10}{:>14}{:>10}\n", "stage", "alone s", "GB/s",
                 "in pipeline s", "GB/s");
  for (const StageResult& stage : one.stages)
    fmt::format_to(out, "  {:<14}{:>10}{:>10}{:>14}{:>10}\n", to_string(stage.stage),
                   seconds_text(stage.alone),
                   stage.alone.bytes > 0 ? bandwidth_text(stage.alone) : "-",
                   seconds_text(stage.in_pipeline),
                   stage.in_pipeline.bytes > 0 ? bandwidth_text(stage.in_pipeline) : "-");
}

}  // namespace

std::string head_text(const JobResult& job) {
  std::string text =
      fmt::format("xhpl-gemm {}: C = alpha A B + beta C, all in host memory\n", job.version);
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < job.devices.size(); ++i)
    fmt::format_to(out, "device {}  {}\n", i, job.devices[i]);
  fmt::format_to(out, "host      {}: {}, {} threads, {}\n", job.host, job.host_processor,
                 job.host_threads, job.blas);
  fmt::format_to(out, "matrices  {}\n", job.pinned ? "in pinned memory" : "in pageable memory");
  for (const std::string& remark : job.remarks)
    fmt::format_to(out, "remark    {}\n", remark);
  return text;
}

std::string case_text(const CaseResult& result) {
  std::string text =
      fmt::format("\nm = {}, n = {}, k = {}, alpha = {}, beta = {}\n", result.shape.rows,
                  result.shape.cols, result.shape.depth, result.alpha, result.beta);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "  {} blocks of C, {} x {}, pieces of A and B {} deep; {} of device memory",
                 result.blocks, result.block_rows, result.block_cols, result.piece_depth,
                 bytes_text(result.device_bytes));
  if (result.staging_bytes > 0)
    fmt::format_to(out, ", {} of pinned memory for copies", bytes_text(result.staging_bytes));
  fmt::format_to(out, "\n");
  add_rates(text, result);
  add_variants(text, result);
  for (const VariantResult& one : result.variants)
    add_stages(text, one);
  for (const VariantResult& one : result.variants)
    if (!one.verdict.passed())
      fmt::format_to(out,
                     "  {}: FAILED: C x is {:.3g} times its rounding bound off in row {}, sampled "
                     "elements {:.3g} times\n",
                     to_string(one.variant), one.verdict.product_ratio, one.verdict.worst_row,
                     one.verdict.element_ratio);
  return text;
}

}  // namespace hpl::gemm
