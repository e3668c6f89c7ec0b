// Modules of the page's script by themselves. Leaves a sentence for each property that does not hold.

import { exactAxis, levelAxis, roundAxis } from "../../src/report/page/axis.js";
import { joined, length, numberText, rateText, secondsText, shade, signed }
  from "../../src/report/page/format.js";
import { rateHistory } from "../../src/run/page/run.js";
import { number, records, spreadOf, text } from "../../src/report/page/value.js";

const faults = [];
const holds = (property, what) => property || faults.push(what);
const equal = (got, wanted, what) => holds(JSON.stringify(got) === JSON.stringify(wanted),
  `${what}: ${JSON.stringify(got)} is not ${JSON.stringify(wanted)}`);
const near = (got, wanted, what) => holds(Math.abs(got - wanted) < 1e-6, `${what}: ${got}, not ${wanted}`);

function axes() {
  equal(roundAxis(0, 53.6).ticks, [0, 20, 40, 60], "a round axis covers its values");
  holds(Object.is(roundAxis(0, 50).ticks[0], 0), "an axis has no minus zero");
  equal([roundAxis(1640, 1980).from, roundAxis(1640, 1980).to], [1600, 2000], "need not begin at zero");
  for (const value of [0, 7, -3, 1e-12, 1e12]) {
    const axis = roundAxis(value, value);
    holds(axis.from < axis.to && axis.place(value) >= 0 && axis.place(value) <= 1 &&
          axis.ticks.length >= 2, `a single value has room: ${value}`);
  }
  for (const [from, to] of [[0, Infinity], [NaN, 1], [2, 1], [-1e308, 1e308]])
    equal([roundAxis(from, to).from, roundAxis(from, to).to], [0, 1], `no numbers: ${from} to ${to}`);
  equal([levelAxis(20, 53).from, levelAxis(49, 53).from], [0, 46], "zero, unless all are in the upper half");
  holds(levelAxis(49, 53).to >= 53, "a level axis covers its values");
  equal([exactAxis(0, 17.3).to, ...exactAxis(0, 17.3).ticks], [17.3, 0, 5, 10, 15], "an exact end");
  near(exactAxis(0, 0.37).ticks[3], 0.3, "tenths");
}

function formats() {
  const rates = [0.2673, 128.34, 999.4, 53612, 1.5e9, 0].map(rate => rateText(rate).replace("\u00a0", " "));
  equal(rates, ["267.3 MFLOP/s", "128.3 GFLOP/s", "999.4 GFLOP/s", "53.61 TFLOP/s", "1.500 EFLOP/s",
                "0 MFLOP/s"], "a rate has one to three digits before the point");
  const times = [0.0421, 2.5, 725, 11042, Infinity].map(time => secondsText(time).replaceAll("\u00a0", " "));
  equal(times, ["0.0421 s", "2.50 s", "12 min 05 s", "3 h 04 min", "?"], "minutes and hours");
  equal([1712.4, 0.25, 53.612, null].map(value => numberText(value)), ["1712", "0.25", "53.61", ""],
        "clocks and powers stay whole");
  equal([0.125, NaN, 1e300].map(length), ["12.50%", "0.00%", "1000.00%"], "a length, whatever the number");
  equal([0.3, -0.04, -10].map(value => signed(value)), ["+0.3", "0.0", "-10.0"], "signs");
  equal([1, 1.1, 2.5, 6, 11].map(shade), [0, 1, 2, 3, 4], "shades");
  equal(joined(["a", "b", "c"], 2), "a, b and 1 more", "many names");
}

function values() {
  const { minimum, lowQuartile, median, highQuartile, maximum } = spreadOf([4, 1, 3, 2]);
  equal([minimum, lowQuartile, median, highQuartile, maximum], [1, 1.75, 2.5, 3.25, 4], "quartiles");
  equal([spreadOf([7]).minimum, spreadOf([7]).maximum, spreadOf([]).maximum], [7, 7, 0], "few values");
  equal([number("1"), number(NaN), number(2), records([1, null, { a: 1 }])], [null, null, 2, [{}, {}, { a: 1 }]],
        "what a document holds in place of a number or a record");
  equal([text(null), text(3), text({ text: "why" }), text([])], ["", "3", "why", ""], "remarks");
}

/** Points of a run at 40 GFLOP/s in steps of so many columns; `change` is made to its steps. */
function history(columns, intervals = 160, change = steps => steps) {
  const order = 1000;
  const steps = Array.from({ length: order / columns }, (_, i) => {
    const done = (i + 1) * columns;
    return { columns_done: done, seconds: 2 / 3 * (1 - (1 - done / order) ** 3) / 40 };
  });
  return rateHistory({ spec: { order }, steps: change(steps) }, intervals);
}

function histories() {
  const steady = history(10);
  holds(steady.length > 20, "a point a step");
  for (const point of steady) {
    near(point.interval, 40, "a steady run is flat");
    near(point.overall, 40, "a steady run is flat from the start");
  }
  near(steady[0].done, 0.5 * (1 - 0.99 ** 3), "the work done");
  const short = history(1, 20);
  holds(short.length >= 10 && short.length <= 20, "short steps are put together");
  const paused = history(100, 160, steps => steps.map((step, i) => (i < 5 ? step
    : { ...step, seconds: step.seconds + 1 })));
  holds(Math.min(...paused.map(point => point.interval)) < 1, "a pause is seen");
  const wild = history(100, 160, steps => [...steps.slice(0, 3), steps[2], { columns_done: 350, seconds: -1 },
    null, "step", ...steps.slice(3), { columns_done: 5000, seconds: 100 }]);
  for (const point of wild)
    holds(point.interval >= 0 && point.interval <= 41, "steps that do not advance are passed over");
  equal([history(1000).length, rateHistory({}, 80).length], [0, 0], "a rate needs a begin and an end");
}

for (const test of [axes, formats, values, histories]) test();
leave(faults);
