// A fleet: map, the worst, distribution, power, differences.

import { roundAxis } from "../../report/page/axis.js";
import { charts, rangeChart } from "../../report/page/chart.js";
import { html } from "../../report/page/dom.js";
import { countText, digits, rateText, rateUnit, shade, signed }
  from "../../report/page/format.js";
import { figure, table } from "../../report/page/table.js";
import { clamp, grouped, most, number, record, records, text, texts } from "../../report/page/value.js";

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

export function fleetParts(fleet) {
  const distributions = records(fleet.kinds).map(kind => distributionChart(fleet, text(kind.kind)));
  return [fleetMap(fleet), charts(distributions)];
}
