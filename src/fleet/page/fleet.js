// A fleet: map, the worst, distribution, power, differences.

import { roundAxis } from "../../report/page/axis.js";
import { charts, rangeChart } from "../../report/page/chart.js";
import { html, notes, paragraph } from "../../report/page/dom.js";
import { countText, digits, energyText, fixed, joined, numberText, rateText, rateUnit, shade, signed }
  from "../../report/page/format.js";
import { levelText } from "../../run/page/power.js";
import { figure, shaded, status, table } from "../../report/page/table.js";
import { clamp, grouped, medianOf, most, number, record, records, text, texts } from "../../report/page/value.js";

const kMostWorst = 40;
const kBins = 12;
/** Fewer members have no distribution to look at. */
const kFewestToDraw = 12;
const kMapColumns = 8;

const membersOf = fleet => records(fleet.members);

const rateOf = member => number(record(member.figures).gflops);

const ratesOfKind = (fleet, kind) => records(records(fleet.kinds).find(one => one.kind === kind)?.figures)
  .find(one => one.figure === "gflops");

/** How far a member is below the median of its kind, percent; null where it has no rate. */
function belowMedian(fleet, member) {
  const median = number(ratesOfKind(fleet, member.kind)?.median);
  const rate = rateOf(member);
  return rate === null || !(median > 0) ? null : 100 * (1 - rate / median);
}

/** Whether the rate of a member is beyond the limit of its kind. */
function isBelowLimit(fleet, member) {
  const limit = number(ratesOfKind(fleet, member.kind)?.threshold);
  const rate = rateOf(member);
  return rate !== null && limit !== null && rate < limit;
}

const fails = finding => finding.severity === "fault" || finding.severity === "slow";

function memberCell(fleet, member, label) {
  const below = belowMedian(fleet, member);
  const rate = rateOf(member);
  const findings = records(member.findings);
  const reason = text((findings.find(fails) ?? findings[0])?.text);
  const title = `${text(member.name)}${rate === null ? "" : `: ${rateText(rate)}`}` +
    `${below === null ? "" : `, ${signed(-below)} % of the median`}${reason ? `; ${reason}` : ""}`;
  const border = { passed: "", warned: " warned" }[member.verdict] ?? " fault";
  return html("td", { class: `cell h${isBelowLimit(fleet, member) ? shade(below) : 0}${border}`, title },
    html("span", {}, label),
    rate === null ? "–" : below === null ? rateText(rate) : signed(-below));
}

const noCell = name => html("td", { class: "cell fault" }, name && html("span", {}, name), "none");

/** A row a host, a column a device. */
function deviceRows(fleet) {
  const hosts = grouped(membersOf(fleet), member => text(member.hosts?.[0] ?? member.name));
  const columns = most([...hosts.values()].map(members => members.length));
  for (const host of records(fleet.hosts))
    if (!hosts.has(text(host.name))) hosts.set(text(host.name), []);
  return [...hosts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([host, members]) => {
    const cells = Array.from({ length: columns }, (_, i) => {
      if (i >= members.length) return noCell();
      const device = records(members[i].devices)[0];
      return memberCell(fleet, members[i], device ? `${text(device.backend)} ${text(device.index)}` : i);
    });
    return html("tr", {}, html("th", { scope: "row" }, host), cells);
  });
}

/** Cells one after the other: a member is a node, or a pair of them. */
function nodeRows(fleet) {
  const members = membersOf(fleet);
  const busy = new Set(members.flatMap(member => texts(member.hosts)));
  const idle = records(fleet.hosts).map(host => text(host.name)).filter(name => !busy.has(name));
  const cells = [...members.map(member => memberCell(fleet, member, text(member.name))), ...idle.map(noCell)];
  return Array.from({ length: Math.ceil(cells.length / kMapColumns) }, (_, i) =>
    html("tr", {}, cells.slice(kMapColumns * i, kMapColumns * (i + 1))));
}

function fleetMap(fleet) {
  const rows = fleet.each === "device" ? deviceRows(fleet) : nodeRows(fleet);
  return rows.length > 0 && [
    html("h3", {}, "Rate against the median of its kind, percent"),
    html("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Map of the fleet" },
      html("table", { class: "map" }, html("tbody", {}, rows)))];
}

function worstPart(fleet) {
  // What a member of a host has is said of the member.
  const entry = (one, percent, serial) => {
    const findings = records(one.findings);
    return { name: text(one.name), verdict: text(one.verdict), percent, serial,
             bad: findings.some(fails),
             reasons: texts(findings.filter(finding => finding.basis !== "member")) };
  };
  const all = [
    ...membersOf(fleet).map(member => entry(member, belowMedian(fleet, member) ?? 0,
      texts(records(member.devices).map(device => device.serial)).join(", "))),
    ...records(fleet.hosts).map(host => entry(host, 0, ""))]
    .filter(one => one.reasons.length > 0)
    .sort((a, b) => b.bad - a.bad || b.percent - a.percent);
  if (!all.length) return undefined;
  const styles = { passed: "passed", warned: "warned", "not checked": "unchecked" };
  return [
    html("h3", {}, "The worst, with their reasons"),
    table("The worst", ["Member or host", "Verdict", "Reason", "Serial number"],
      all.slice(0, kMostWorst).map(one => ({ bad: one.bad, cells: [
        one.name, status(styles[one.verdict] ?? "failed", one.verdict), notes(one.reasons),
        one.serial] })), "tall cards"),
    all.length > kMostWorst && paragraph("left", `${kMostWorst} of ${all.length} are shown.`)];
}

/** How many members of a kind have which rate. */
function distributionChart(fleet, kind) {
  const rates = record(ratesOfKind(fleet, kind));
  const [low, high, threshold] = [rates.minimum, rates.maximum, rates.threshold].map(number);
  if (!(rates.count >= kFewestToDraw) || !(high > low) || low === null) return undefined;
  const unit = rateUnit(high);
  const width = (high - low) / kBins;
  const counts = Array(kBins).fill(0);
  for (const one of membersOf(fleet))
    if (one.kind === kind && rateOf(one) !== null)
      ++counts[clamp(Math.floor((rateOf(one) - low) / width), 0, kBins - 1)];
  const rows = counts.map((count, bin) => {
    const [from, to] = [low + width * bin, low + width * (bin + 1)];
    const label = `${digits(from / unit.gflops)} to ${digits(to / unit.gflops)}`;
    return { label, value: count, title: `${label}: ${countText(count, "member")}`, low: count,
             middle: count, high: count,
             marked: threshold !== null && to <= threshold && count > 0 };
  });
  return rangeChart({ title: `Distribution of ${kind}`, unit: `members by rate, ${unit.name}`,
    summary: `Rates of ${rates.count} members`, x: roundAxis(0, most(counts)), bars: true,
    rows: rows.toReversed() });
}

function distributionPart(fleet) {
  const kinds = records(fleet.kinds);
  const rows = kinds.flatMap(kind => [
    ...records(kind.figures).map(one => [
      text(kind.kind), [text(one.label), text(one.unit)].filter(Boolean).join(", "), text(one.count),
      ...["minimum", "median", "maximum", "spread", "threshold"].map(key => numberText(number(one[key]))),
      text(one.worst_member)]),
    ...records(fleet.expectations).filter(one => one.kind === kind.kind).map(one => [
      text(kind.kind), `expected rate, GFLOP/s, by the data sheet of ${text(one.sheet)}`, "",
      ...["least_gflops", "gflops", "most_gflops"].map(key => numberText(number(one[key]))), "",
      numberText(number(one.least_gflops)), ""]),
    ...texts([kind.remark]).map(remark => [text(kind.kind), remark])]);
  return [
    html("h3", {}, "Distribution"),
    charts(kinds.map(kind => distributionChart(fleet, text(kind.kind)))),
    rows.length > 0 && table("Figures of the fleet", [
      "Kind", "Figure", figure("Members"), figure("Least"), figure("Median"), figure("Most"),
      figure("Robust spread"), figure("Limit"), "Worst"], rows, "tall")];
}

function fleetPower(fleet) {
  if (!fleet.power) return undefined;
  const { source, level, missing, remarks, meters } = record(fleet.power);
  const efficiencies = records(meters).filter(meter => meter.host)
    .map(meter => number(meter.gflops_per_watt)).filter(value => value !== null);
  const usual = efficiencies.length < 2 ? 0 : medianOf(efficiencies);
  const rows = records(meters).map(meter => {
    const efficiency = number(meter.gflops_per_watt);
    const compared = usual > 0 && meter.host && efficiency !== null;
    const below = compared ? 100 * (1 - efficiency / usual) : 0;
    return [text(meter.host) || "All", fixed(number(meter.average_watts), 1),
            energyText(number(meter.energy_joules)), digits(efficiency),
            shaded(compared ? signed(-below) : "", shade(below)), fixed(number(meter.core_seconds), 1),
            text(meter.samples), `${fixed(number(meter.longest_gap_seconds), 1)} s`];
  });
  const lacks = texts(missing);
  return [
    html("h3", {}, "Power"),
    paragraph("variant", `Meter: ${text(source)}. ${levelText(level)} of the EE HPC WG's methodology.`),
    texts(remarks).map(remark => paragraph("remark", `Power meter: ${remark}`)),
    table("Power of the fleet", ["Host", ...["Average, W", "Energy", "GFLOP/s per W",
      "Against the median, percent", "Runs, s", "Samples", "Longest gap"].map(figure)], rows, "tall"),
    lacks.length > 0 && [paragraph("left", "Missing for the next level:"), notes(lacks)]];
}

function differencePart(fleet) {
  const rows = records(fleet.differences).map(({ fact, majority, count, others }) => [
    text(fact), `${text(majority)} (${countText(number(count) ?? 0, "host")})`,
    records(others).map(({ value, hosts }) => `${text(value) || "unknown"}: ${joined(texts(hosts))}`)
      .join("; ")]);
  return rows.length > 0 && [html("h3", {}, "Software and firmware that differ"),
    table("Differences", ["What", "Most have", "Others"], rows)];
}

export function fleetParts(fleet) {
  return [fleetMap(fleet), worstPart(fleet), distributionPart(fleet), fleetPower(fleet), differencePart(fleet)];
}
