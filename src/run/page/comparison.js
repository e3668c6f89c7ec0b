// Runs beside each other.

import { exactAxis, levelAxis, roundAxis } from "../../report/page/axis.js";
import { charts, kMostLines, lineChart, rangeChart } from "../../report/page/chart.js";
import { countText, digits, rateText, rateUnit } from "../../report/page/format.js";
import { rateHistory } from "./run.js";
import { least, most, spreadOf } from "../../report/page/value.js";

/** Rows that a chart can hold and still be read. */
const kMostRows = 40;
/** Repetitions that are told apart. */
const kMostDots = 12;

function ratesBeside(groups) {
  const shown = groups.length > kMostRows
    ? groups.toSorted((a, b) => b.best - a.best).slice(0, kMostRows) : groups;
  const highest = most(shown.flatMap(group => group.rates));
  const unit = rateUnit(highest);
  const rows = shown.map(group => {
    const rates = group.rates.map(rate => rate / unit.gflops);
    const spread = spreadOf(rates);
    const repeated = rates.length > 1;
    const [low, middle, high] = [spread.minimum, spread.median, spread.maximum];
    const range = repeated
      ? `, median of ${rates.length} from ${digits(low)} to ${digits(high)}` : "";
    return { label: group.label, value: digits(middle), low, middle, high,
             title: `${group.label}: ${digits(middle)} ${unit.name}${range}`,
             dots: repeated && rates.length <= kMostDots ? rates : [],
             marked: group.status === "failed" };
  });
  return rangeChart({
    title: shown.length < groups.length ? `Rate, the ${shown.length} fastest of ${groups.length}` : "Rate",
    unit: unit.name, x: roundAxis(0, highest / unit.gflops), bars: true, rows,
    summary: `Rates of ${countText(groups.length, "run")}; the fastest reaches ${rateText(highest)}` });
}

/** Over the share of the work that is done: runs of different lengths lie above each other. */
function ratesWhileRunning(groups) {
  const histories = groups.filter(group => group.run).slice(0, kMostLines)
    .map(group => ({ label: group.label, points: rateHistory(group.run, 80) }))
    .filter(({ points }) => points.length > 1);
  if (histories.length < 2) return undefined;
  const rates = histories.flatMap(({ points }) => points.map(point => point.interval));
  const unit = rateUnit(most(rates));
  return lineChart({ title: "Rate while it ran", unit: unit.name, xTitle: "operations done, %",
    summary: `Rate over the share of the operations for ${countText(histories.length, "run")}`,
    x: exactAxis(0, 100), y: levelAxis(least(rates) / unit.gflops, most(rates) / unit.gflops),
    lines: histories.map(({ label, points }) => ({
      label, points: points.map(point => [100 * point.done, point.interval / unit.gflops]) })) });
}

export function comparison(groups) {
  const repeated = groups.some(group => group.rates.length > 1);
  return groups.length > 1 || repeated ? charts(ratesBeside(groups), ratesWhileRunning(groups)) : undefined;
}
