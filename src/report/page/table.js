// Tables that scroll by themselves where they are wider than the page.

import { html, paragraph } from "./dom.js";

/** A column of numbers. */
export const figure = name => ({ name, number: true });

/** A cell that is coloured by how far it is on the wrong side, 0 to 4. */
export const shaded = (value, shade) => ({ value, style: shade > 0 ? `h${shade}` : "" });

/** A verdict is told by its word, not by its colour alone. */
export const status = (style, word = style) => html("span", { class: `status ${style}` }, word);

function cell(content, column, name) {
  const plain = content === null || typeof content !== "object" || content instanceof Node;
  const { value, style } = plain ? { value: content } : content;
  const classes = [column.number && "n", style].filter(Boolean).join(" ");
  return html(name, { class: classes, scope: name === "th" && "row" }, value);
}

/** `label` says what the table is to those who cannot see it. A row is a list of cells, the first of
 *  which names it, or such a `{cells, bad}`. */
export function table(label, columns, rows, style = "") {
  const head = columns.map(column => html("th", { scope: "col", class: column.number && "n" },
    column.name ?? column));
  const body = rows.map(row => html("tr", { class: row.bad && "bad" },
    (row.cells ?? row).map((content, i) => cell(content, columns[i], i === 0 ? "th" : "td"))));
  return html("div", { class: `scroll ${style}`, tabindex: "0", role: "region", "aria-label": label },
    html("table", {}, html("thead", {}, html("tr", {}, head)), html("tbody", {}, body)));
}

/** A table of the document, below its title. */
export const titledTable = ({ title, columns, rows, notes }) =>
  [html("h3", {}, title), table(title, columns, rows, "tall"), notes.map(note => paragraph("left", note))];
