// Power over the core phase of a run, its averages, energy by phase, and the level of the measurement.

import { exactAxis, roundAxis } from "../../report/page/axis.js";
import { charts, lineChart, rangeChart } from "../../report/page/chart.js";
import { html, paragraph } from "../../report/page/dom.js";
import { digits, fixed, numberText, secondsText } from "../../report/page/format.js";
import { most, number, numbers, record, records, text, texts } from "../../report/page/value.js";

const kMostPoints = 600;

/** Means of neighbouring points, so that a trace of hours stays a chart. */
function shortened(points) {
  const size = Math.ceil(points.length / kMostPoints);
  if (size < 2) return points;
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => {
    const group = points.slice(i * size, (i + 1) * size);
    return [0, 1].map(j => group.reduce((sum, point) => sum + point[j], 0) / group.length);
  });
}

function powerTrace(power, seconds, average) {
  const meter = records(power.meter?.trace).map(one => [number(one.seconds), number(one.watts)])
    .filter(([at, watts]) => at !== null && at >= 0 && at <= seconds && watts !== null);
  const components = numbers(power.components?.trace_watts)
    .map((watts, i) => [Math.min(i + 0.5, seconds), watts]).filter(([, watts]) => watts !== null);
  const lines = [["meter", meter], ["components", components]]
    .filter(([, points]) => points.length > 1)
    .map(([label, points]) => ({ label, points: shortened(points) }));
  if (!lines.length) return undefined;
  const highest = most(lines.flatMap(line => line.points.map(([, watts]) => watts)));
  return lineChart({ title: "Power over the core phase", unit: "W", xTitle: "seconds",
    summary: `Power over ${secondsText(seconds)}, up to ${numberText(highest)} W`,
    x: exactAxis(0, Math.max(seconds, 1e-3)), y: roundAxis(0, highest), lines,
    levels: [{ label: "average", value: average }] });
}

function energyByPhase(power) {
  const phases = records(power.components?.phases)
    .map(phase => ({ label: text(phase.phase), kilojoules: (number(phase.joules) ?? 0) / 1e3 }));
  const all = number(power.components?.averages?.energy_joules) ?? 0;
  const highest = most(phases.map(phase => phase.kilojoules), all / 1e3);
  if (!phases.length || !(highest > 0)) return undefined;
  return rangeChart({ title: "Energy by phase", summary: "Energy of every phase", bars: true,
    unit: "kJ, component power while work of the phase went on; phases overlap",
    x: roundAxis(0, highest),
    rows: phases.map(({ label, kilojoules }) => ({
      label, value: digits(kilojoules), title: `${label}: ${digits(kilojoules)} kJ`,
      low: kilojoules, middle: kilojoules, high: kilojoules })) });
}

export function powerPart(run) {
  if (!run.power) return undefined;
  const power = record(run.power);
  const average = number(power.meter?.averages?.average_watts) ??
    number(power.components?.averages?.average_watts);
  if (average === null && !power.meter) return undefined;
  const level = power.level?.level;
  const seconds = number(power.core_seconds) ?? 0;
  return [
    html("h3", {}, "Power"),
    paragraph("variant", `Core phase ${text(power.core_begin)} to ${text(power.core_end)}, ` +
      `${fixed(seconds, 3)} s. Level ${level > 0 ? `${level} of 3` : "none"} of the EE HPC WG's methodology.`),
    texts(power.meter?.remarks).map(remark => paragraph("remark", `Power meter: ${remark}`)),
    average !== null && charts(powerTrace(power, seconds, average), energyByPhase(power))];
}
