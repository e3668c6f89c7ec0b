// Values over a horizontal axis, and rows with the range of their values.

import { html, svg } from "./dom.js";
import { digits, length, numberText } from "./format.js";
import { clamp } from "./value.js";

/** Lines differ in colour and dashes. */
export const kMostLines = 6;

// The plot in its own units, stretched to the width that the page gives; lines keep their width.
const kSize = 1000;

const colour = line => `c${line % kMostLines + 1}`;

const caption = (title, note) => html("figcaption", {}, title, html("small", {}, note));

const ticksOf = (axis, side) => axis.ticks.map(tick =>
  html("span", { style: `${side}:${length(axis.place(tick))}` }, (axis.words ?? numberText)(tick)));

function commands(chart, points) {
  return points.map(([x, y]) => {
    const across = kSize * clamp(chart.x.place(x), -1, 2);
    const down = kSize * (1 - clamp(chart.y.place(y), -1, 2));
    return `${across.toFixed(1)} ${down.toFixed(1)}`;
  }).join("L");
}

function legend(chart) {
  const key = (style, label) => html("span", { class: `key ${style}` }, html("i"), label);
  return html("div", { class: "legend" },
    chart.lines.map((line, i) => key(`${colour(i)}${line.faint ? " faint" : ""}`, line.label)),
    chart.bands.map(band => key("area c1", band.label)),
    chart.levels.map(level => key("level", level.label)));
}

function drawing(chart) {
  const across = (style, value) => {
    const y = length(1 - chart.y.place(value));
    return svg("line", { class: style, x1: "0", x2: "100%", y1: y, y2: y });
  };
  const bands = chart.bands.map(({ lower, upper }) => svg("path", {
    class: "band c1", d: `M${commands(chart, lower)}L${commands(chart, upper.toReversed())}Z` }));
  const lines = chart.lines.map((line, i) => svg("path", {
    class: `line ${colour(i)}${line.faint ? " faint" : ""}`, d: `M${commands(chart, line.points)}` }));
  return svg("svg", { role: "img", "aria-label": chart.summary }, svg("title", {}, chart.summary),
    chart.y.ticks.map(tick => across("grid", tick)),
    svg("svg", { width: "100%", height: "100%", viewBox: `0 0 ${kSize} ${kSize}`,
                 preserveAspectRatio: "none" }, bands, lines.toReversed()),
    chart.levels.map(level => across("level", level.value)));
}

/** Position of the point nearest to `x`. */
function nearest(points, x) {
  let low = 0;
  let high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < x) low = middle; else high = middle;
  }
  return x - points[low][0] < points[high][0] - x ? low : high;
}

/** What the lines and bands have at a point of the first line, one below the other. */
function valuesAt(chart, index, x) {
  const row = (style, label, value) => html("span", {}, html("i", { class: style }),
    html("em", {}, `${label}: ${value} ${chart.unit}`));
  const at = points => digits(points[nearest(points, x)][1], 5);
  return [html("b", {}, chart.names?.[index] ?? `${digits(x, 5)} ${chart.xTitle}`),
          chart.lines.map((line, i) => line.points.length > 0 &&
            row(colour(i), line.label, at(line.points))),
          chart.bands.map(band => row("c1", band.label, `${at(band.lower)} to ${at(band.upper)}`))];
}

/** Shows values under the pointer or finger, or by the arrow keys. */
function follow(chart, plot, cross, tip) {
  const points = chart.lines[0]?.points ?? [];
  let shown = -1;
  const hide = () => {
    cross.hidden = tip.hidden = true;
    shown = -1;
  };
  const show = index => {
    if (!points.length) return;
    shown = clamp(index, 0, points.length - 1);
    const x = points[shown][0];
    const place = chart.x.place(x);
    tip.replaceChildren(...valuesAt(chart, shown, x).flat().filter(Boolean));
    cross.hidden = tip.hidden = false;
    cross.style.left = length(place);
    // On the side with more room, and never past the edge.
    const from = place * plot.clientWidth;
    const left = place > 0.5 ? from - tip.offsetWidth - 8 : from + 8;
    tip.style.left = `${Math.max(0, Math.min(left, plot.clientWidth - tip.offsetWidth))}px`;
  };
  const point = event => {
    const box = plot.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    if (points.length) show(nearest(points, chart.x.from + share * (chart.x.to - chart.x.from)));
  };
  plot.addEventListener("pointermove", point);
  plot.addEventListener("pointerdown", point);
  plot.addEventListener("pointerleave", hide);
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step) return;
    event.preventDefault();
    show(shown < 0 ? 0 : shown + step);
  });
}

/** Lines `{label, points: [[x, y]], faint}`, bands `{label, lower, upper}` between points of the same
 *  x, and levels `{label, value}` across, over the axes `x` and `y`. `names` are those of the points
 *  where x is no measure; `summary` is the chart in a sentence, for those who cannot see it. */
export function lineChart(given) {
  const chart = { bands: [], levels: [], ...given };
  const axis = chart.y.from > 0 && `axis from ${numberText(chart.y.from)}`;
  const note = [chart.unit, chart.note, axis].filter(Boolean).join(", ");
  const cross = html("div", { class: "cross", hidden: "hidden" });
  const tip = html("div", { class: "tip", hidden: "hidden" });
  const plot = html("div", { class: "plot", tabindex: "0" }, drawing(chart), cross, tip);
  follow(chart, plot, cross, tip);
  return html("figure", { class: "chart" }, caption(chart.title, note), legend(chart),
    html("div", { class: "frame" }, html("div", { class: "y" }, ticksOf(chart.y, "bottom")), plot,
      html("div", { class: "x" }, ticksOf(chart.x, "left")),
      html("div", { class: "xtitle" }, chart.xTitle)));
}

const kRowHeight = 28;

function strip(chart, row) {
  const place = value => clamp(chart.x.place(value), 0, 1);
  // At least wide enough to be seen.
  const bar = (style, low, high, height) => svg("rect", {
    class: style, x: length(place(low)), y: (kRowHeight - height) / 2, height, rx: "1.5",
    width: length(Math.max(place(high) - place(low), 0.002)) });
  const upright = (style, value, y1, y2) => {
    const x = length(place(value));
    return svg("line", { class: style, x1: x, x2: x, y1, y2 });
  };
  return svg("svg", { role: "img", "aria-label": row.title }, svg("title", {}, row.title),
    chart.x.ticks.map(tick => upright("grid", tick, "0", "100%")),
    chart.bars && bar("bar", chart.x.from, row.middle, 16),
    row.high > row.low && bar("range", row.low, row.high, 4),
    row.box && bar("box", ...row.box, 10),
    (row.dots ?? []).map(dot => svg("circle", {
      class: "dot", cx: length(place(dot)), cy: kRowHeight / 2, r: "3.5" })),
    upright("middle", row.middle, "5", "23"));
}

/** Rows `{label, value, title, middle, low, high, box, dots, marked}` over the axis `x`: `value` stands
 *  at the end, `title` is the row in a sentence. `bars` begin at the begin of the axis. */
export function rangeChart(chart) {
  const row = (style, label, middle, value) => html("div", { class: `row ${style}` },
    html("div", { class: "name" }, label), html("div", { class: "strip" }, middle),
    html("div", { class: "value" }, value));
  return html("figure", { class: "chart" }, caption(chart.title, chart.unit),
    html("div", { class: "rows", role: "group", "aria-label": chart.summary },
      chart.rows.map(one => row(one.marked ? "marked" : "", one.label, strip(chart, one), one.value)),
      row("axis", "", ticksOf(chart.x, "left"), "")));
}

export const charts = (...figures) => {
  const drawn = figures.flat().filter(Boolean);
  return drawn.length > 0 && html("div", { class: "charts" }, drawn);
};
