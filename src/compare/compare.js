// A comparison of reports: what changed, then each member along the sides.

import { dateAxis, levelAxis } from "../report/page/axis.js";
import { charts, kMostLines, lineChart } from "../report/page/chart.js";
import { html } from "../report/page/dom.js";
import { digits, joined, rateUnit, shade } from "../report/page/format.js";
import { figure, shaded, status, table } from "../report/page/table.js";
import { least, most, number, record, records, text, texts } from "../report/page/value.js";

const kRate = "gflops";

const lettersOf = sides => sides.map((_, i) => (sides.length === 2 ? "AB"[i] : String(i + 1)));

const lastOf = member => records(member.points).at(-1) ?? {};

const changeOf = (point, name) => records(point.changes).find(change => change.figure === name);

const valueOf = (point, name) => number(record(point.figures)[name]);

/** Figures of checks stand in the changes alone: each on the first side, and on the later ones. */
function withFigures(member) {
  const [first, ...later] = records(member.points);
  const figures = (changes, side) => Object.fromEntries(records(changes).map(change => [change.figure, change[side]]));
  return { points: [{ ...first, figures: figures(later[0]?.changes, "from") },
                    ...later.map(point => ({ ...point, figures: figures(point.changes, "to") }))] };
}

const completed = run => !run.check ? run
  : { ...run, kinds: records(run.kinds).map(withFigures), members: records(run.members).map(withFigures) };

const shownDate = side => text(side.started).slice(0, 16).replace("T", " ") || text(side.name);

/** "+1.25 %" */
function changeText(change) {
  const value = number(change.change) ?? 0;
  return `${value > 0 ? "+" : ""}${value.toFixed(2)}\u00a0${text(change.change_unit)}`;
}

/** A change is coloured by how far it is worse; noise has no colour. */
function changeCell(change) {
  if (!change) return "–";
  const worse = change.verdict === "worse" ? Math.abs(number(change.change) ?? 0) : 0;
  return shaded(changeText(change), shade(worse));
}

const noiseCell = change => (change ? (number(change.noise) ?? 0).toFixed(2) : "–");

function verdictCell(point, change) {
  if (point.wrong) return status("failed", "wrong");
  if (!change) return "";
  const styles = { worse: "failed", better: "passed" };
  return styles[change.verdict] ? status(styles[change.verdict], change.verdict) : text(change.verdict);
}

/** Figures that a change is known of, in the order of the document. */
function changedFigures(members) {
  const found = new Map();
  for (const member of members)
    for (const change of records(lastOf(member).changes)) found.set(text(change.figure), change);
  return [...found.values()];
}

/** Values of a figure over the dates: medians, and the members that were chosen. */
function historyLines(run, sides, chosen, about) {
  const name = text(about.figure);
  const shown = [...records(run.kinds), ...records(run.members).filter(member => chosen.has(text(lastOf(member).name)))]
    .map(member => records(member.points).filter(point => valueOf(point, name) !== null))
    .filter(points => points.length > 1).slice(0, kMostLines);
  if (!shown.length) return undefined;
  const values = shown.flat().map(point => valueOf(point, name));
  const unit = name === kRate ? rateUnit(most(values)) : { name: text(about.unit), gflops: 1 };
  const dates = sides.map(side => Date.parse(text(side.started)));
  const dated = dates.every(Number.isFinite);
  const x = dated ? dateAxis(least(dates), most(dates)) : dateAxis(0, sides.length - 1, String);
  const place = point => (dated ? dates[point.side] : point.side);
  return lineChart({ title: text(about.label), unit: unit.name, xTitle: dated ? "" : "number",
    summary: `${text(about.label)} of ${shown.length} members and kinds over ${sides.length} times`, x,
    y: levelAxis(least(values) / unit.gflops, most(values) / unit.gflops),
    lines: shown.map(points => ({ label: text(points.at(-1).name),
      points: points.map(point => [place(point), valueOf(point, name) / unit.gflops]) })),
    names: shown[0].map(point => shownDate(sides[point.side] ?? {})) });
}

/** The members that changed most, for the worse first. */
function byChange(members, name) {
  const of = member => number(changeOf(lastOf(member), name)?.change) ?? 0;
  return [...members].sort((a, b) => of(a) - of(b));
}

function compareTable(run, sides, letters, about, pick) {
  const name = text(about.figure);
  const members = records(run.members).filter(member => records(member.points).length > 1);
  const highest = most(members.flatMap(member => records(member.points).map(point => valueOf(point, name) ?? 0)));
  const unit = name === kRate ? rateUnit(highest) : { name: text(about.unit), gflops: 1 };
  const serials = members.some(member => texts(lastOf(member).serials).length > 0);
  const was = member => {
    const before = text(records(member.points)[0].name);
    return before === lastOf(member).name ? "" : before;
  };
  const renamed = members.some(was);
  const columns = ["Member", ...(renamed ? ["Before"] : []), ...letters.map((letter, i) => figure(
    sides.length > 2 ? shownDate(sides[i]).slice(0, 10) : letter)), figure("Change"), figure("Noise"), "",
    ...(serials ? ["Serial number"] : [])];
  return table("Members", columns, byChange(members, name).map(member => {
    const last = lastOf(member);
    const change = changeOf(last, name);
    const at = sides.map((_, side) => {
      const point = records(member.points).find(one => one.side === side);
      const value = point ? valueOf(point, name) : null;
      return value === null ? "–" : digits(value / unit.gflops);
    });
    return { bad: last.wrong, cells: [pick(text(last.name)), ...(renamed ? [was(member)] : []), ...at,
      changeCell(change), noiseCell(change), verdictCell(last, change), ...(serials ? [joined(texts(last.serials), 4)] : [])] };
  }), "tall");
}

/** Chart and table of a figure that the reader chooses; a click on a member draws its line. */
function figurePart(run, sides, letters, drawn) {
  const figures = changedFigures([...records(run.kinds), ...records(run.members)]);
  if (!figures.length) return undefined;
  const place = html("div");
  const select = html("select", { "aria-label": "Figure" },
    figures.map(about => html("option", { value: text(about.figure) }, text(about.label))));
  const chosen = new Set(byChange(records(run.members), kRate).slice(0, kMostLines - 2)
    .map(member => text(lastOf(member).name)));
  const pick = name => {
    const button = html("button", { type: "button", class: "pick", "aria-pressed": String(chosen.has(name)) }, name);
    button.addEventListener("click", () => {
      if (!chosen.delete(name)) chosen.add(name);
      draw();
    });
    return button;
  };
  const draw = () => {
    const about = figures.find(one => text(one.figure) === select.value) ?? figures[0];
    place.replaceChildren(...[
      drawn && charts([historyLines(run, sides, chosen, about)]),
      compareTable(run, sides, letters, about, drawn ? pick : name => name)].filter(Boolean));
  };
  select.addEventListener("change", draw);
  draw();
  return [html("p", { class: "left" }, html("label", {}, "Figure ", select),
    drawn && " A click on a member draws its line."), place];
}

/** Chart and table of a run of `from`, the document of xhpl compare --json. */
export function figureParts(from, number) {
  const sides = records(from.sides);
  const run = records(from.runs)[number];
  const part = run && figurePart(completed(run), sides, lettersOf(sides), from.history || sides.length > 2);
  return part ?? [];
}
