#include "product_file.h"

namespace hpl::page {

namespace {

/// A number that must be there; one that was not finite counts as zero.
double number_at(const JsonCursor& from, std::string_view key) {
  const JsonCursor value = from.at(key);
  return value.is_null() ? 0 : value.number();
}

/// Seconds and bandwidth of a stage that took place.
void read_total(const JsonCursor& from, std::string_view key, std::optional<double>& seconds,
                std::optional<double>& bandwidth) {
  const JsonCursor total = from.at(key);
  if (number_at(total, "seconds") <= 0) return;
  seconds = number_at(total, "seconds");
  if (number_at(total, "bytes") > 0) bandwidth = number_at(total, "bytes_per_second");
}

ProductStage read_stage(const JsonCursor& from) {
  ProductStage stage;
  stage.name = from.at("stage").text();
  read_total(from, "alone", stage.alone_seconds, stage.alone_bandwidth);
  read_total(from, "in_pipeline", stage.seconds, stage.bandwidth);
  return stage;
}

ProductVariant read_variant(const JsonCursor& from) {
  ProductVariant variant{.name = from.at("variant").text(),
                         .seconds = number_at(from, "seconds"),
                         .gflops = number_at(from, "gflops"),
                         .share_of_kernel = number_at(from, "share_of_kernel"),
                         .share_of_allowed = number_at(from, "share_of_allowed"),
                         .fill_seconds = number_at(from, "fill_seconds"),
                         .drain_seconds = number_at(from, "drain_seconds"),
                         .imbalance = number_at(from, "imbalance"),
                         .host_share = number_at(from, "host_share"),
                         .host_gain = from.find_number("host_gain"),
                         .remark = from.find_text("remark").value_or(""),
                         .passed = from.at("check").at("passed").truth(),
                         .stages = {}};
  for (const JsonCursor& stage : from.elements("stages"))
    variant.stages.push_back(read_stage(stage));
  return variant;
}

}  // namespace

Product read_product(const JsonCursor& from) {
  const JsonCursor link = from.at("link_bytes_per_second");
  Product product{.rows = from.at("m").integer(),
                  .cols = from.at("n").integer(),
                  .depth = from.at("k").integer(),
                  .kernel_gflops = number_at(from, "kernel_gflops"),
                  .allowed_gflops = number_at(from, "allowed_gflops"),
                  .host_gflops = number_at(from, "host_gflops"),
                  .break_even_depth = number_at(from, "break_even_depth"),
                  .in_bandwidth = number_at(link, "in_both"),
                  .out_bandwidth = number_at(link, "out_both"),
                  .variants = {}};
  for (const JsonCursor& variant : from.elements("variants"))
    product.variants.push_back(read_variant(variant));
  return product;
}

}  // namespace hpl::page
