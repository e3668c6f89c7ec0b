#include <fmt/format.h>

#include "format.h"
#include "sections.h"
#include "table.h"

namespace hpl::page {

namespace {

std::string seconds_cell(const std::optional<double>& seconds) {
  return number_cell(seconds ? number_text(*seconds) : "");
}
std::string bandwidth_cell(const std::optional<double>& bytes_per_second) {
  return number_cell(bytes_per_second ? number_text(*bytes_per_second / 1e9) : "");
}

/// A result that is wrong is marked by its word, not by its colour alone.
std::string variant_table(const Product& product) {
  std::string rows =
      table_head({"Variant", "Seconds", "Rate", "Of the kernel", "Of what is allowed", "Adds",
                  "Fill, s", "Drain, s", "Imbalance", "Host's part", "Check"});
  double before = 0;
  for (const ProductVariant& one : product.variants) {
    rows += fmt::format(
        R"(<tr{}><th scope="row">{}</th>{}{}{}{}{}{}{}{}{}<td><span class="status {}">{}</span></td></tr>)",
        one.passed ? "" : R"( class="bad")", escape(one.name),
        number_cell(number_text(one.seconds)), number_cell(rate_text(one.gflops)),
        number_cell(percent_text(one.share_of_kernel)),
        number_cell(percent_text(one.share_of_allowed)),
        number_cell(before > 0 ? percent_text(one.gflops / before - 1) : ""),
        number_cell(number_text(one.fill_seconds)), number_cell(number_text(one.drain_seconds)),
        number_cell(percent_text(one.imbalance)), number_cell(percent_text(one.host_share)),
        one.passed ? "passed" : "failed", one.passed ? "passed" : "failed");
    rows += '\n';
    before = one.gflops;
  }
  return scrolled_table("Variants", rows);
}

std::string stage_table(const ProductVariant& variant) {
  std::string rows = table_head({"Stage", "Alone, s", "GB/s", "In the pipeline, s", "GB/s"});
  for (const ProductStage& stage : variant.stages) {
    rows += fmt::format(R"(<tr><th scope="row">{}</th>{}{}{}{}</tr>)", escape(stage.name),
                        seconds_cell(stage.alone_seconds), bandwidth_cell(stage.alone_bandwidth),
                        seconds_cell(stage.seconds), bandwidth_cell(stage.bandwidth));
    rows += '\n';
  }
  return scrolled_table("Stages", rows);
}

std::string introduction(const Product& product) {
  std::string text =
      fmt::format("Kernel {}, link {} GB/s in and {} GB/s out with both busy: k* = {}",
                  rate_text(product.kernel_gflops), number_text(product.in_bandwidth / 1e9),
                  number_text(product.out_bandwidth / 1e9), number_text(product.break_even_depth));
  if (product.break_even_depth > 0)
    text += fmt::format(", k / k* = {}",
                        number_text(static_cast<double>(product.depth) / product.break_even_depth));
  text += fmt::format("; kernel and link allow {}", rate_text(product.allowed_gflops));
  if (product.host_gflops > 0)
    text += fmt::format("; the host alone {}", rate_text(product.host_gflops));
  return text + ".";
}

std::string title_of(const Product& product) {
  return product.rows == product.cols
             ? fmt::format("m = n = {}, k = {}", product.rows, product.depth)
             : fmt::format("m = {}, n = {}, k = {}", product.rows, product.cols, product.depth);
}

std::string product_text(const Product& product) {
  std::string html =
      fmt::format("<h3>{}</h3><p>{}</p>", escape(title_of(product)), escape(introduction(product)));
  html += variant_table(product);
  for (const ProductVariant& one : product.variants) {
    if (one.host_gain)
      html += fmt::format("<p>{}: {} of the host's own rate gained.</p>", escape(one.name),
                          percent_text(*one.host_gain));
    if (!one.remark.empty())
      html += fmt::format("<p>{}: {}</p>", escape(one.name), escape(one.remark));
  }
  for (const ProductVariant& one : product.variants)
    html += fmt::format("<p>Stages of {}</p>", escape(one.name)) + stage_table(one);
  return html;
}

}  // namespace

std::string product_section(std::span<const RunFile> files) {
  const std::vector<std::string> names = short_names(files);
  std::string html;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].products.empty()) continue;
    if (files.size() > 1) html += fmt::format("<h3>{}</h3>", escape(names[i]));
    for (const Product& product : files[i].products)
      html += product_text(product);
  }
  return html.empty() ? html
                      : "<section class=\"products\"><h2>Products from host memory</h2>" + html +
                            "</section>\n";
}

}  // namespace hpl::page
