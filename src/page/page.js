// Draws what the documents inside the page hold: charts, and tables beyond those of the results.

import { compareParts } from "../compare/compare.js";
import { comparison } from "../run/page/comparison.js";
import { html, notes, paragraph } from "../report/page/dom.js";
import { fleetParts } from "../fleet/page/fleet.js";
import { countText } from "../report/page/format.js";
import { predictionParts } from "../predict/prediction.js";
import { preflightParts } from "../check/report/preflight.js";
import { runSection } from "../run/page/run.js";
import { tuningParts } from "../tune/report/tuning.js";
import { record, texts } from "../report/page/value.js";

const data = JSON.parse(document.getElementById("data").textContent);

function put(id, ...parts) {
  document.getElementById(id)?.append(...parts.flat(Infinity).filter(Boolean));
}

/** A part of the page with what every file has of a subject. */
function section(title, partsOf) {
  const parts = data.files.map(({ name, document: from }) => {
    const drawn = partsOf(from);
    return drawn && [data.files.length > 1 && html("h3", {}, name), drawn];
  }).filter(Boolean);
  return parts.length > 0 && html("section", {}, html("h2", {}, title), parts);
}

function runSections() {
  const shown = data.groups.filter(group => group.run);
  const fastest = data.groups[data.fastest];
  const sections = shown.map(group =>
    runSection(group, { open: group === fastest, alone: data.groups.length === 1, limits: data.limits }));
  const left = shown.length < data.groups.length &&
    paragraph("left", `Charts of ${shown.length} of ${countText(data.groups.length, "run")} are shown.`);
  return [sections, left];
}

for (const { each, fleet, comparison: changes } of data.fleet_groups)
  put(`fleet-${each}`, fleetParts(fleet), changes && [html("h3", {}, "What changed"), compareParts(changes), notes(texts(changes.remarks))]);
put("comparison", comparison(data.groups));
put("drawn", runSections(),
  section("What changed", from => from.kind === "comparison" && compareParts(from)),
  section("Predicted", from => from.kind === "prediction" && predictionParts(from)),
  section("Search for settings", from => from.kind === "tune" && tuningParts(from)),
  section("Before the runs", from => from.preflight && preflightParts(record(from.preflight))));

// Paper cannot unfold anything.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not([open])")) {
    details.open = true;
    details.dataset.closed = "";
  }
});
addEventListener("afterprint", () => {
  for (const details of document.querySelectorAll("details[data-closed]")) {
    details.open = false;
    delete details.dataset.closed;
  }
});
