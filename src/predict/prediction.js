// What xhpl-predict predicted.

import { levelAxis, roundAxis } from "../report/page/axis.js";
import { charts, kMostLines, lineChart, rangeChart } from "../report/page/chart.js";
import { countText, percentText, rateUnit, secondsText } from "../report/page/format.js";
import { grouped, least, most, number, records, text } from "../report/page/value.js";

/** Products hide the others; the model counts them as exposed altogether. */
const kProducts = "matrix multiply";

function runOf(from) {
  const whole = key => number(from[key]) ?? 0;
  const phases = records(from.phases);
  const run = {
    model: text(from.model), nodes: whole("nodes"),
    order: whole("order"), blockSize: whole("block_size"), seconds: whole("seconds"),
    gflops: whole("gflops"), grid: `${whole("grid_rows")} × ${whole("grid_columns")}`,
    ranks: whole("grid_rows") * whole("grid_columns"), efficiency: number(from.efficiency),
    joules: number(from.energy_joules), half: number(from.half_rate_order),
    curve: records(from.rate_over_order).map(point => [number(point.order), number(point.gflops)])
      .filter(point => !point.includes(null)),
    products: number(phases.find(phase => phase.phase === kProducts)?.busy_seconds) ?? 0,
    exposed: phases.filter(phase => phase.phase !== kProducts)
      .map(phase => [text(phase.phase), number(phase.exposed_seconds) ?? 0]) };
  run.exposed.push(["waiting for other ranks", whole("waiting_seconds")]);
  return run;
}

/** What tells a run from the others of the document. */
function labelsOf(runs) {
  const parts = [run => countText(run.nodes, "node"), run => run.grid, run => `NB ${run.blockSize}`,
                 run => run.model];
  const telling = parts.filter((part, i) => runs.some(run =>
    part(run) !== part(runs[0]) && (i !== 1 || run.nodes === runs[0].nodes)));
  return run => telling.map(part => part(run)).join(", ") || countText(run.ranks, "rank");
}

function orderChart(runs, labelOf) {
  // Runs on the same ranks with other N are points of one curve: the largest stands for it.
  const same = run => JSON.stringify([run.nodes, run.grid, run.blockSize]);
  const all = [...grouped(runs.filter(run => run.curve.length > 1), same).values()]
    .map(of => of.reduce((a, b) => (b.order > a.order ? b : a)));
  const curves = all.slice(0, kMostLines);
  if (!curves.length) return undefined;
  const points = curves.flatMap(run => run.curve);
  const highest = most(points.map(([, gflops]) => gflops));
  const unit = rateUnit(highest);
  const [{ half, gflops }] = curves;
  return lineChart({ title: "Rate over N", unit: unit.name, xTitle: "N",
    note: all.length > kMostLines ? `the first ${kMostLines} of ${all.length} curves` : "",
    summary: "Predicted rate over the order of the matrix",
    x: roundAxis(0, most(points.map(([order]) => order))), y: roundAxis(0, highest / unit.gflops),
    lines: curves.map(run => ({
      label: labelOf(run) + (run.half === null ? "" : `, N1/2 = ${run.half}`),
      points: run.curve.map(([order, rate]) => [order, rate / unit.gflops]) })),
    levels: curves.length === 1 && half !== null
      ? [{ label: `half of the rate, at N1/2 = ${half}`, value: gflops / 2 / unit.gflops }] : [] });
}

/** The best of each number of nodes, where there are several numbers. */
function nodeCharts(runs) {
  const all = [...grouped(runs, run => run.nodes).values()]
    .map(of => of.reduce((a, b) => (b.gflops > a.gflops ? b : a)))
    .sort((a, b) => a.nodes - b.nodes);
  const [first] = all;
  if (all.length < 2 || first.nodes <= 0) return [];
  const each = run => run.gflops / run.ranks;
  const unit = rateUnit(most(all.map(run => run.gflops)));
  const eachUnit = rateUnit(most(all.map(each)));
  const widest = most(all.map(run => run.nodes));
  const one = first.gflops / first.nodes / unit.gflops;
  return [
    lineChart({ title: "Rate over nodes", unit: unit.name, xTitle: "nodes",
      summary: "Predicted rate over the number of nodes",
      x: roundAxis(0, widest), y: roundAxis(0, one * widest),
      lines: [{ label: "predicted", points: all.map(run => [run.nodes, run.gflops / unit.gflops]) },
              { label: `as on ${countText(first.nodes, "node")}`, faint: true,
                points: [[0, 0], [widest, one * widest]] }] }),
    // Each doubling is as wide as the others.
    lineChart({ title: "Rate of a rank over nodes", unit: eachUnit.name,
      xTitle: "doublings of the number of nodes, from one node on",
      summary: "Predicted rate of each rank over the number of nodes",
      x: roundAxis(Math.log2(least(all.map(run => run.nodes))), Math.log2(widest)),
      y: levelAxis(least(all.map(each)) / eachUnit.gflops, most(all.map(each)) / eachUnit.gflops),
      lines: [{ label: "predicted",
                points: all.map(run => [Math.log2(run.nodes), each(run) / eachUnit.gflops]) }] })];
}

const shareOf = (run, seconds) => percentText(run.seconds > 0 ? seconds / run.seconds : 0);

function exposedChart(run, label) {
  const exposed = run.exposed.filter(([, seconds]) => seconds > 0);
  return exposed.length > 0 && rangeChart({
    title: `What products do not hide, ${label}`, summary: "Exposed time by phase", bars: true,
    unit: `seconds of the ${secondsText(run.seconds)} that the run takes`,
    x: roundAxis(0, most(exposed.map(([, seconds]) => seconds))),
    rows: exposed.map(([phase, seconds]) => {
      const share = shareOf(run, seconds);
      return { label: phase, value: share, title: `${phase}: ${secondsText(seconds)}, ${share}`,
               low: seconds, middle: seconds, high: seconds };
    }) });
}

export function predictionParts(document) {
  const runs = records(document.runs).map(runOf);
  if (!runs.length) return undefined;
  const labelOf = labelsOf(runs);
  const fastest = runs.reduce((a, b) => (b.gflops > a.gflops ? b : a));
  return charts(orderChart(runs, labelOf), nodeCharts(runs), exposedChart(fastest, labelOf(fastest)));
}
