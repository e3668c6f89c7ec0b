// Products from host memory, as xhpl-gemm measured them.

import { html } from "../report/page/dom.js";
import { numberText, percentText, rateText } from "../report/page/format.js";
import { figure, status, table } from "../report/page/table.js";
import { number, record, records, text } from "../report/page/value.js";

const gigabytes = bytes => numberText(number(bytes) === null ? null : bytes / 1e9);

function productIntroduction(product) {
  const link = record(product.link_bytes_per_second);
  const balance = number(product.break_even_depth) ?? 0;
  const host = number(product.host_gflops) ?? 0;
  return `Kernel ${rateText(number(product.kernel_gflops))}, link ${gigabytes(link.in_both)} GB/s in and ` +
    `${gigabytes(link.out_both)} GB/s out with both busy: k* = ${numberText(balance)}` +
    `${balance > 0 ? `, k / k* = ${numberText((number(product.k) ?? 0) / balance)}` : ""}` +
    `; kernel and link allow ${rateText(number(product.allowed_gflops))}` +
    `${host > 0 ? `; the host alone ${rateText(host)}` : ""}.`;
}

/** A variant that is faster than the kernel alone shows that this was measured too low. */
const atMostAll = share => (share === null ? null : Math.min(share, 1));

function variantTable(variants) {
  const columns = ["Seconds", "Rate", "Of the kernel", "Of what is allowed", "Adds", "Fill, s",
                   "Drain, s", "Imbalance", "Host's part"].map(figure);
  return table("Variants", ["Variant", ...columns, "Check"], variants.map((one, i) => {
    const value = key => number(one[key]);
    const before = number(variants[i - 1]?.gflops);
    const passed = record(one.check).passed === true;
    return { bad: !passed, cells: [
      text(one.variant), numberText(value("seconds")), rateText(value("gflops")),
      percentText(atMostAll(value("share_of_kernel"))), percentText(atMostAll(value("share_of_allowed"))),
      before > 0 ? percentText((value("gflops") ?? 0) / before - 1) : "",
      numberText(value("fill_seconds")), numberText(value("drain_seconds")),
      percentText(value("imbalance")), percentText(value("host_share")),
      status(passed ? "passed" : "failed")] };
  }));
}

function stageTable(variant) {
  // Empty where the stage did not take place.
  const total = of => (record(of).seconds > 0
    ? [numberText(of.seconds), of.bytes > 0 ? gigabytes(of.bytes_per_second) : ""] : ["", ""]);
  return [html("p", {}, `Stages of ${text(variant.variant)}`),
          table("Stages", ["Stage", ...["Alone, s", "GB/s", "In the pipeline, s", "GB/s"].map(figure)],
            records(variant.stages).map(stage =>
              [text(stage.stage), ...total(stage.alone), ...total(stage.in_pipeline)]))];
}

export function productParts(product) {
  const { m, n, k } = product;
  const variants = records(product.variants);
  return [
    html("h3", {}, m === n ? `m = n = ${m}, k = ${k}` : `m = ${m}, n = ${n}, k = ${k}`),
    html("p", {}, productIntroduction(product)),
    variantTable(variants),
    variants.map(one => [
      number(one.host_gain) !== null && html("p", {},
        `${text(one.variant)}: ${percentText(one.host_gain)} of the host's own rate gained.`),
      one.remark && html("p", {}, `${text(one.variant)}: ${text(one.remark)}`)]),
    variants.map(stageTable)];
}
