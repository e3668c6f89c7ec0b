// A search for the best settings: what was found, and every trial.

import { html, paragraph } from "../../report/page/dom.js";
import { countText, numberText, percentText, rateText, secondsText } from "../../report/page/format.js";
import { figure, table } from "../../report/page/table.js";
import { grouped, list, number, record, records, text } from "../../report/page/value.js";

/** Of hundreds of panels the last trials are the ones that decide. */
const kMostOfStage = 30;

function tuningIntroduction(tuning, best) {
  const untuned = number(record(tuning.untuned).gflops);
  const fixed = Object.entries(record(tuning.fixed)).filter(([name]) => name.startsWith("-"))
    .flat().map(text).filter(Boolean).join(" ");
  const parts = [
    `${text(tuning.method)} on ${countText(number(tuning.ranks) ?? 0, "rank")} of ` +
    `${text(tuning.machine)}, N = ${text(tuning.trial_order)}: ` +
    `${countText(list(tuning.trials).length, "trial")} in ${secondsText(number(tuning.spent_seconds))}`,
    tuning.ended !== true && ", not finished", tuning.out_of_time === true && ", stopped by --for",
    best !== null && `; ${rateText(best)}`,
    best !== null && untuned > 0 && `, ${rateText(untuned)} by the defaults`, ".",
    fixed && ` All trials with ${fixed}.`];
  return parts.filter(Boolean).join("");
}

function trialRow(trial, settings) {
  const differences = settings.filter(({ flag, untuned }) => {
    const value = record(trial.settings)[flag];
    return value !== undefined && value !== untuned;
  }).map(({ flag }) => `${text(flag)} ${text(trial.settings[flag])}`);
  const gflops = number(trial.gflops);
  return { bad: gflops === null, cells: [
    text(trial.stage), differences.join(" ") || "the defaults", percentText(number(trial.share)),
    numberText(number(trial.trial_seconds)), numberText(gflops), numberText(number(trial.residual)),
    `${text(trial.verdict)}: ${text(trial.reason)}`] };
}

function trialTable(trials, settings) {
  const stages = grouped(trials, trial => text(trial.stage));
  const shown = new Set([...stages.values()].flatMap(of => of.slice(-kMostOfStage)));
  const columns = ["Stage", "Settings", ...["Of a run", "Seconds", "GFLOP/s", "Residual"].map(figure),
                   "Verdict"];
  return [
    table("Trials", columns, trials.filter(trial => shown.has(trial))
      .map(trial => trialRow(trial, settings))),
    [...stages].filter(([, of]) => of.length > kMostOfStage).map(([stage, of]) => paragraph("left",
      `${of.length - kMostOfStage} of ${of.length} trials of the stage ${stage} are left out.`))];
}

export function tuningParts(tuning) {
  // One value is no choice.
  const settings = records(tuning.settings).filter(({ values }) => list(values).length > 1);
  const best = record(tuning.best);
  return [
    html("p", {}, tuningIntroduction(tuning, number(best.gflops))),
    table("Settings", ["Setting", "Best", "Default"], settings.map(({ flag, untuned }) =>
      [text(flag), text(record(best.settings)[flag]), text(untuned)])),
    tuning.command && html("pre", {}, text(tuning.command)),
    trialTable(records(tuning.trials), settings)];
}
