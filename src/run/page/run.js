// The charts of one run: rate, phases, ranks, devices, power.

import { exactAxis, levelAxis, roundAxis } from "../../report/page/axis.js";
import { charts, lineChart, rangeChart } from "../../report/page/chart.js";
import { html, notes, paragraph } from "../../report/page/dom.js";
import { countText, digits, fixed, numberText, percentText, rateText, rateUnit, secondsText, shade }
  from "../../report/page/format.js";
import { powerPart } from "./power.js";
import { figure, shaded, table, titledTable } from "../../report/page/table.js";
import { grouped, least, medianOf, most, number, numbers, record, records, spreadOf, text, texts }
  from "../../report/page/value.js";

/** Up to here every rank has its own dot, and up to there its own line in the table. */
const kFewRanks = 16;
const kTableRanks = 64;
const kOutlyingRanks = 16;
/** Up to here every device has a row of its own. */
const kFewDevices = 24;

/** Steps in which both columns and time advance. */
function advancing(steps, order) {
  const kept = [];
  let last = { columns: 0, seconds: 0 };
  for (const step of records(steps)) {
    const columns = number(step.columns_done);
    const seconds = number(step.seconds);
    if (columns === null || columns <= last.columns || !(seconds > last.seconds)) continue;
    last = { columns: Math.min(columns, order), seconds };
    kept.push(last);
  }
  return kept;
}

/** How fast a run was and when, from its steps: at most `intervals` points `{seconds, done, interval,
 *  overall}`, GFLOP/s of an interval and since the start, at its middle. None of fewer than two steps,
 *  for a rate needs a begin and an end. */
export function rateHistory(run, intervals) {
  const order = number(record(run.spec).order) ?? 0;
  const steps = advancing(run.steps, order);
  if (order <= 0 || steps.length < 2) return [];
  const operations = 2 / 3 * order ** 3;
  const end = steps.at(-1).seconds;
  const points = [];
  let begin = 0;
  let doneBefore = 0;
  steps.forEach((step, i) => {
    const taken = step.seconds - begin;
    // Half an interval may be left over at the end: it would be the noisiest point of all.
    const short = taken < end / intervals || end - step.seconds < end / intervals / 2;
    if (short && i + 1 < steps.length) return;
    const done = 1 - (1 - step.columns / order) ** 3;
    const seconds = begin + taken / 2;
    const middle = (done + doneBefore) / 2;
    points.push({ seconds, done: middle, interval: (done - doneBefore) * operations / taken / 1e9,
                  overall: middle * operations / seconds / 1e9 });
    begin = step.seconds;
    doneBefore = done;
  });
  return points;
}

function rateOverTime(run) {
  const points = rateHistory(run, 160);
  if (points.length < 2) return undefined;
  const rates = points.map(point => point.interval);
  const attainable = number(run.ceiling_gflops);
  const unit = rateUnit(most(rates, attainable ?? 0));
  const end = advancing(run.steps, record(run.spec).order).at(-1).seconds;
  const line = key => points.map(point => [point.seconds, point[key] / unit.gflops]);
  return lineChart({
    title: "Rate over time", unit: unit.name, xTitle: "seconds",
    summary: `Rate over the ${secondsText(end)} of the factorization`,
    x: exactAxis(0, end),
    y: levelAxis(least(rates) / unit.gflops, most(rates, attainable ?? 0) / unit.gflops),
    lines: [{ label: "of the moment", points: line("interval") },
            { label: "since the start", points: line("overall"), faint: true }],
    levels: attainable === null ? []
      : [{ label: "attainable", value: attainable / unit.gflops }] });
}

/** The host of each rank, and each device once where ranks share some. */
function placesOf(run) {
  const devices = records(run.devices);
  const name = device => `${text(device.host)}, ${text(device.backend)} ${text(device.device_index)}`;
  const hosts = new Map(devices.map(device => [device.rank, text(device.host)]));
  return {
    rankName: rank => (hosts.has(rank) ? `rank ${rank} on ${hosts.get(rank)}` : `rank ${rank}`),
    devices: [...grouped(devices, name)].map(([key, [first]]) => ({ ...first, label: key })) };
}

function phasesOf(run) {
  return records(run.phases).map(phase => ({
    name: text(phase.phase),
    minimum: number(phase.minimum_seconds) ?? 0, minimumRank: number(phase.minimum_rank) ?? 0,
    maximum: number(phase.maximum_seconds) ?? 0, maximumRank: number(phase.maximum_rank) ?? 0,
    ranks: numbers(phase.rank_seconds).map(seconds => seconds ?? 0) }));
}

function phaseRow(phase, seconds, places) {
  const spread = spreadOf(phase.ranks.length ? phase.ranks : [phase.minimum, phase.maximum]);
  const share = percentText(seconds > 0 ? spread.median / seconds : 0);
  const far = phase.maximum > phase.minimum
    ? `, median of the ranks; from ${secondsText(phase.minimum)} (${places.rankName(phase.minimumRank)})` +
      ` to ${secondsText(phase.maximum)} (${places.rankName(phase.maximumRank)})` : "";
  const many = phase.ranks.length > kFewRanks;
  return { label: phase.name, value: share,
           title: `${phase.name}: ${secondsText(spread.median)} (${share} of the run)${far}`,
           low: spread.minimum, middle: spread.median, high: spread.maximum,
           box: many && [spread.lowQuartile, spread.highQuartile],
           dots: many || phase.ranks.length < 2 ? [] : phase.ranks };
}

/** The two parts of a run of HPL-MxP, in a sentence. */
function refinementPart(run) {
  if (!run.refinement) return undefined;
  const refinement = record(run.refinement);
  const history = numbers(refinement.history).map(value => (value ?? NaN).toExponential(2));
  return paragraph("variant",
    `LU alone: ${rateText(number(refinement.factorization_gflops))} in ` +
    `${secondsText(number(refinement.factorization_seconds) ?? 0)}. Refinement: ` +
    `${countText(number(refinement.iterations) ?? 0, "iteration")} in ` +
    `${secondsText(number(refinement.refinement_seconds) ?? 0)}; scaled residual ${history.join(", ")}.`);
}

function timeByPhase(phases, seconds, places) {
  const busy = phases.filter(phase => phase.maximum > 0);
  if (!busy.length) return undefined;
  const ranks = most(phases.map(phase => phase.ranks.length), 1);
  const unit = ranks === 1 ? "seconds; phases overlap"
    : ranks > kFewRanks ? `seconds; phases overlap; bar: median, box: half of the ${ranks} ranks, line: all`
    : `seconds; phases overlap; bar: median, dots: the ${ranks} ranks`;
  return rangeChart({ title: "Where the time went", unit, bars: true,
    summary: "Seconds of every phase over the ranks",
    x: roundAxis(0, most(busy.map(phase => phase.maximum), seconds)),
    rows: busy.map(phase => phaseRow(phase, seconds, places)) });
}

function rankTable(run, phases, seconds, places) {
  const ranks = most(phases.map(phase => phase.ranks.length));
  if (ranks < 2) return undefined;
  const medians = phases.map(phase => medianOf(phase.ranks));
  const beyond = rank => most(phases.map((phase, i) =>
    (rank < phase.ranks.length ? Math.abs(phase.ranks[rank] - medians[i]) : 0)));
  let shown = Array.from({ length: ranks }, (_, rank) => rank);
  if (ranks > kTableRanks)
    shown = shown.sort((a, b) => beyond(b) - beyond(a)).slice(0, kOutlyingRanks);
  const rates = [["products, GFLOP/s", numbers(run.rank_gflops)],
                 ["alone, GFLOP/s", numbers(run.rank_ceilings_gflops)]]
    .filter(([, values]) => values.length > 0);
  const cellOf = (phase, i, rank) => {
    const value = phase.ranks[rank] ?? null;
    const more = seconds > 0 && value !== null ? 100 * (value - medians[i]) / seconds : 0;
    return shaded(fixed(value, 3), shade(more));
  };
  const name = shown.length < ranks
    ? `The ${shown.length} of ${ranks} ranks furthest from the median, seconds`
    : "Seconds of every rank";
  const columns = ["Rank", ...phases.map(phase => figure(phase.name)),
                   ...rates.map(([title]) => figure(title))];
  const rows = shown.map(rank => [places.rankName(rank),
    ...phases.map((phase, i) => cellOf(phase, i, rank)),
    ...rates.map(([, values]) => numberText(values[rank] ?? null))]);
  return html("details", { class: "ranks" }, html("summary", {}, name),
    table(name, columns, rows, "tall"));
}

function sensorRows(devices, view, means, limits) {
  return devices.map(({ label, device, range }) => ({
    label, value: fixed(range.mean, 0), low: range.minimum, middle: range.mean, high: range.maximum,
    title: `${label} (${text(device)}): mean ${fixed(range.mean, 0)} ${view.unit}, ` +
           `from ${fixed(range.minimum, 0)} to ${fixed(range.maximum, 0)}`,
    marked: view.standsOut?.(range, means.median, limits) }));
}

function deviceChart(all, view, limits) {
  const devices = all.map(device => {
    const { minimum, mean, maximum } = record(device[view.key]);
    return { ...device, range: { minimum: number(minimum), mean: number(mean), maximum: number(maximum) } };
  }).filter(({ range }) => !Object.values(range).includes(null));
  if (!devices.length) return undefined;
  const means = spreadOf(devices.map(({ range }) => range.mean));
  const low = least(devices.map(({ range }) => range.minimum));
  const axis = roundAxis(view.fromZero ? Math.min(0, low) : low,
    most(devices.map(({ range }) => range.maximum), -Infinity));
  if (devices.length <= kFewDevices)
    return rangeChart({ title: view.title, x: axis, rows: sensorRows(devices, view, means, limits),
      unit: `${view.unit}; line: from least to most, mark: mean`,
      summary: `${view.title} of ${countText(devices.length, "device")}` });
  // All devices in the order of their ranks: a band and a line, however many there are.
  const points = key => devices.map(({ range }, i) => [i, range[key]]);
  return lineChart({ title: view.title, unit: view.unit, x: exactAxis(0, devices.length - 1), y: axis,
    xTitle: `${devices.length} devices in the order of their ranks`,
    summary: `${view.title} of ${devices.length} devices: means from ${fixed(means.minimum, 0)} to ` +
             `${fixed(means.maximum, 0)}, median ${fixed(means.median, 0)} ${view.unit}`,
    lines: [{ label: "mean", points: points("mean") }],
    bands: [{ label: "from least to most", lower: points("minimum"), upper: points("maximum") }],
    levels: [{ label: "median", value: means.median }],
    names: devices.map(({ label }) => label) });
}

const kSensors = [
  { title: "Clock", unit: "MHz", key: "clock_mhz",
    standsOut: (range, median, limits) => range.mean < (1 - limits.slow_clock) * median },
  { title: "Power", unit: "W", key: "power_watts", fromZero: true },
  { title: "Temperature", unit: "°C", key: "temperature_celsius",
    standsOut: (range, median, limits) => range.maximum > limits.hot_celsius }];

function devicePart(run, places, limits) {
  const drawn = charts(kSensors.map(view => deviceChart(places.devices, view, limits)));
  return drawn && [html("h3", {}, "Devices"), notes(texts(run.device_findings)), drawn];
}

function transports(run) {
  const lines = ["row", "column"].map(where => {
    const { ranks, name, gigabytes_per_second: rate } = record(record(run.transports)[where]);
    if (!(ranks >= 2) || !name) return "";
    const speed = number(rate) === null ? "" : ` at ${digits(rate, 3)} GB/s each way`;
    return `${text(name)} along the process ${where}${speed}`;
  }).filter(Boolean);
  return lines.length > 0 && paragraph("variant", `Messages: ${lines.join(", ")}.`);
}

/** The fastest repetition of a group of runs. `limits`: from where on a device stands out. */
export function runSection(group, { open, alone, limits }) {
  const { run } = group;
  const places = placesOf(run);
  const phases = phasesOf(run);
  const seconds = number(run.seconds) ?? 0;
  const drawn = charts(rateOverTime(run), timeByPhase(phases, seconds, places));
  const devices = devicePart(run, places, limits);
  const parts = [
    run.description && paragraph("variant", html("code", {}, text(record(run.spec).variant)), " ",
                                 text(run.description)),
    refinementPart(run), transports(run),
    !drawn && !devices && html("p", {}, "The file holds neither steps nor phases of this run."),
    drawn, texts(run.expected?.findings).map(finding => html("p", {}, finding)),
    rankTable(run, phases, seconds, places), devices, powerPart(run), group.tables.map(titledTable)];
  if (alone) return html("section", { class: "run" }, html("h2", {}, "The run"), parts);
  const rate = rateText(number(run.gflops)) || "no rate";
  return html("details", { class: "run", open: open ? "open" : undefined },
    html("summary", {}, html("h2", {}, group.label),
      html("span", {}, group.rates.length > 1 ? `${rate}, the fastest repetition` : rate)), parts);
}
