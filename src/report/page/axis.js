// Axes: what they show and where they are marked.

import { clamp } from "./value.js";

const kMostTicks = 20;

/** 1, 2, 2.5 or 5 times a power of ten, at least `length`. */
function roundStep(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return ([1, 2, 2.5, 5].find(factor => factor * power >= length * (1 - 1e-9)) ?? 10) * power;
}

function axis(from, to, ticks) {
  return { from, to, ticks, place: value => (value - from) / (to - from) };
}

/** Both ends, apart where they are one; nothing where no axis can be made of them. */
function usable(from, to) {
  const size = Math.max(Math.abs(from), Math.abs(to));
  if (!(size <= 1e300) || from > to) return undefined;
  if (to - from > 1e-9 * size) return [from, to];
  return from === 0 ? [0, 1] : [from - 0.05 * size, to + 0.05 * size];
}

function multiples(step, from, to) {
  const first = Math.ceil(from / step - 1e-6);
  const count = clamp(Math.floor(to / step + 1e-6) - first + 1, 0, kMostTicks);
  return Array.from({ length: count }, (_, i) => (first + i) * step);
}

/** From `from` to `to` exactly, marked at round numbers. */
export function exactAxis(from, to, marks = 5) {
  const ends = usable(from, to);
  if (!ends) return axis(0, 1, [0, 1]);
  return axis(...ends, multiples(roundStep((ends[1] - ends[0]) / marks), ...ends));
}

/** Days from milliseconds since 1970; `words` are those of a mark. */
export function dateAxis(from, to, words = time => new Date(time).toISOString().slice(0, 10)) {
  const ends = usable(from, to) ?? [0, 1];
  return { ...axis(...ends, [0, 0.25, 0.5, 0.75, 1].map(share => ends[0] + share * (ends[1] - ends[0]))), words };
}

/** From a round number to a round number, both marked. */
export function roundAxis(low, high, marks = 5) {
  const ends = usable(low, high);
  if (!ends) return axis(0, 1, [0, 1]);
  const step = roundStep((ends[1] - ends[0]) / marks);
  const from = Math.floor(ends[0] / step + 1e-6) * step;
  const to = Math.ceil(ends[1] / step - 1e-6) * step;
  return axis(from, to, multiples(step, from, to));
}

/** From zero; or from near the values where all of them lie in the upper half, for there they would
 *  make a straight line. */
export function levelAxis(low, high) {
  return roundAxis(low > high / 2 ? low - (high - low) / 2 : 0, high);
}
