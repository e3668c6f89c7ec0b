// Draws what the documents inside the page hold: charts, and tables beyond those of the results.

import { figureParts } from "../compare/compare.js";
import { comparison } from "../run/page/comparison.js";
import { paragraph } from "../report/page/dom.js";
import { fleetParts } from "../fleet/page/fleet.js";
import { countText } from "../report/page/format.js";
import { predictionParts } from "../predict/prediction.js";
import { runSection } from "../run/page/run.js";

const data = JSON.parse(document.getElementById("data").textContent);

function put(id, ...parts) {
  document.getElementById(id)?.append(...parts.flat(Infinity).filter(Boolean));
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

for (const { each, fleet } of data.fleet_groups) put(`fleet-${each}`, fleetParts(fleet));
put("comparison", comparison(data.groups));
put("drawn", runSections(), data.predictions.map(predictionParts));
for (const place of document.querySelectorAll("[data-comparison]"))
  place.append(...figureParts(data.comparisons[place.dataset.comparison], place.dataset.run));

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
