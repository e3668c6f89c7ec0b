// What the check before the runs found and measured.

import { html } from "../../report/page/dom.js";
import { countText, numberText, percentText, secondsText } from "../../report/page/format.js";
import { figure, status, table } from "../../report/page/table.js";
import { clamp, number, records, text } from "../../report/page/value.js";

function placeOf(finding) {
  const on = host => (host ? ` on ${text(host)}` : "");
  const peer = number(finding.peer) === null ? ""
    : ` with rank ${finding.peer}${on(finding.peer_host)}`;
  return `rank ${text(finding.rank)}${on(finding.host)}` +
    `${finding.device ? `, ${text(finding.device)}` : ""}${peer}`;
}

function findingTable(findings) {
  if (!findings.length) return html("p", {}, "Nothing stands out.");
  return table("What stands out", ["Where", "Kind", "What"], findings.map(finding => {
    // Documents from before severities have a kind alone.
    const bad = finding.kind !== "remark";
    const style = finding.severity === "warning" ? "warned" : bad ? "failed" : "unchecked";
    return { bad, cells: [placeOf(finding), status(style, text(finding.kind)), text(finding.what)] };
  }), "tall");
}

const kMeasured = ["Measured", "Unit", "Among"];
const whatIsMeasured = one => [text(one.label), text(one.unit), text(one.group)];
const extremes = one => [one.minimum, one.median, one.maximum].map(value => numberText(number(value)));

function metricTable(metrics) {
  const columns = [...kMeasured, ...["Values", "Least", "Median", "Most"].map(figure), "Worst"];
  return metrics.length > 0 && table("What was measured", columns, metrics.map(one => [
    ...whatIsMeasured(one), text(one.count), ...extremes(one),
    `rank ${text(one.worst_rank)}${number(one.worst_peer) === null ? "" : ` with ${one.worst_peer}`}`]));
}

/** A bar as long as the share of the rate alone, with the number beside it. */
function shareBar(share) {
  return share !== null && html("span", {},
    html("meter", { min: 0, max: 1, value: clamp(share, 0, 1) }, numberText(share)),
    ` ${(100 * share).toFixed(0)}\u00a0%`);
}

function deepTable(figures) {
  const columns = [...kMeasured, ...["Least", "Median", "Most"].map(figure), "Of the rate alone", "Worst"];
  return figures.length > 0 && [
    html("h4", {}, "Copies and starts"),
    table("Copies and starts", columns, figures.map(one => [
      ...whatIsMeasured(one), ...extremes(one), shareBar(number(one.share)),
      one.count < 2 ? "" : `rank ${text(one.worst_rank)}`]), "tall")];
}

export function preflightParts(check) {
  const forms = { deep: "Deep", full: "Full" };
  const tolerance = number(check.tolerance);
  const norm = check.reference ? `the median or ${text(check.reference.source)}` : "the median";
  return [
    html("p", {}, `${forms[check.form] ?? "Short"} check of ${countText(number(check.ranks) ?? 0, "rank")} ` +
      `on ${countText(number(check.nodes) ?? 0, "node")}` +
      `${number(check.seconds) === null ? "" : ` in ${secondsText(check.seconds)}`}` +
      `${tolerance === null ? "" :
        `; an outlier is worse than ${norm} by more than ${percentText(tolerance)}`}.`),
    findingTable(records(check.findings)), metricTable(records(check.metrics)),
    deepTable(records(check.deep))];
}
