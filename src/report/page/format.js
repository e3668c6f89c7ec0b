// Numbers in words. Each function gives an empty text for null. A number and its unit stay on one
// line: the blank between them does not break.

import { clamp } from "./value.js";

const kUnits = [["MFLOP/s", 1e-3], ["GFLOP/s", 1], ["TFLOP/s", 1e3], ["PFLOP/s", 1e6],
                ["EFLOP/s", 1e9]].map(([name, gflops]) => ({ name, gflops }));

/** The unit in which a rate has one to three digits before the point; 999.7 rounds up to the next. */
export const rateUnit = gflops => kUnits.findLast(unit => gflops >= 0.9995 * unit.gflops) ?? kUnits[0];

const known = write => (value, ...more) => (value === null ? "" : write(value, ...more));

export const digits = known((value, count = 4) => String(Number(value.toPrecision(count))));

/** Whole numbers of many digits, a clock or a power, are not rounded to four. */
export const numberText = known(value => {
  const whole = Math.abs(value) >= 1000 && Math.abs(value) < 1e7;
  return whole ? value.toFixed(0) : digits(value);
});

export const rateText = known(gflops => {
  const unit = rateUnit(gflops);
  return `${gflops === 0 ? 0 : (gflops / unit.gflops).toPrecision(4)}\u00a0${unit.name}`;
});

export const secondsText = known(seconds => {
  if (!(Math.abs(seconds) < 1e9)) return "?";
  if (seconds < 1) return `${digits(seconds, 3)}\u00a0s`;
  if (seconds < 60) return `${seconds.toFixed(2)}\u00a0s`;
  const parts = (count, large, small) =>
    `${Math.floor(count / 60)}\u00a0${large} ${String(count % 60).padStart(2, "0")}\u00a0${small}`;
  const whole = Math.round(seconds);
  return whole < 3600 ? parts(whole, "min", "s") : parts(Math.round(whole / 60), "h", "min");
});

export const fixed = known((value, places) => value.toFixed(places));

export const percentText = known(share => `${(100 * share).toFixed(1)}\u00a0%`);

export const countText = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** "+0.3"; "0.0" has no sign. */
export const signed = known(value => {
  const tenths = Math.round(10 * value);
  return tenths === 0 ? "0.0" : `${tenths > 0 ? "+" : ""}${(tenths / 10).toFixed(1)}`;
});

/** The shade of a cell so many percent on the wrong side, 0 to 4. */
export const shade = percent => [1, 2, 5, 10].filter(step => percent > step).length;

/** A length in percent, whatever the number. */
export const length = share =>
  `${(100 * clamp(Number.isFinite(share) ? share : 0, -10, 10)).toFixed(2)}%`;

/** The first names, the others by number. */
export function joined(names, shown = 12) {
  const rest = names.length - shown;
  return names.slice(0, shown).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
