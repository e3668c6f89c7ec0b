// Members of a document, whatever it holds in their place, and what follows from several numbers.

/** A finite number; null of anything else. */
export const number = value => (Number.isFinite(value) ? value : null);

export const list = value => (Array.isArray(value) ? value : []);

export const record = value =>
  (value && typeof value === "object" && !Array.isArray(value) ? value : {});

export const records = value => list(value).map(record);

export const numbers = value => list(value).map(number);

/** A remark is a sentence, or a record that has one. */
export const text = value => {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? text(record(value).text) : String(value);
};

export const texts = value => list(value).map(text).filter(line => line !== "");

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** Least and most of many numbers, more than a call has arguments. */
export const least = values => values.reduce((a, b) => Math.min(a, b), Infinity);
export const most = (values, floor = 0) => values.reduce((a, b) => Math.max(a, b), floor);

/** Five numbers that stand for many. Quartiles are interpolated between the values beside them. */
export function spreadOf(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const at = share => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  };
  if (!sorted.length) return { minimum: 0, lowQuartile: 0, median: 0, highQuartile: 0, maximum: 0 };
  return { minimum: at(0), lowQuartile: at(0.25), median: at(0.5), highQuartile: at(0.75),
           maximum: at(1) };
}

export const medianOf = values => spreadOf(values).median;

/** Values by a key, in the order of their first use. */
export function grouped(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(value);
  }
  return groups;
}
