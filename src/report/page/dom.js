// Elements from names, attributes and children. Children that are no nodes become text, so nothing
// that a report holds is ever taken for markup.

const kSvg = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false && value !== "") node.setAttribute(name, value);
  node.append(...children.flat(Infinity).filter(child => child !== undefined && child !== null && child !== false));
  return node;
}

export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(kSvg, name), attributes, children);
}

export const paragraph = (style, ...children) => html("p", { class: style }, ...children);

export const notes = lines =>
  lines.length > 0 && html("ul", { class: "notes" }, lines.map(line => html("li", {}, line)));
