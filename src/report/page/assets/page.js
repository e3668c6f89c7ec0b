"use strict";
for (const figure of document.querySelectorAll("figure.lines")) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const plot = figure.querySelector(".plot");
  const cross = figure.querySelector(".cross");
  const tip = figure.querySelector(".tip");
  const first = data.lines[0] ? data.lines[0].points : [];
  let shown = -1;

  const nearest = (points, x) => {
    let low = 0, high = points.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (points[middle][0] < x) low = middle; else high = middle;
    }
    return x - points[low][0] < points[high][0] - x ? low : high;
  };
  const text = (tag, content) => {
    const element = document.createElement(tag);
    element.textContent = content;
    return element;
  };
  const hide = () => {
    cross.hidden = tip.hidden = true;
    shown = -1;
  };
  const show = index => {
    if (!first.length) return;
    shown = Math.min(Math.max(index, 0), first.length - 1);
    const x = first[shown][0];
    const place = (x - data.from) / (data.to - data.from);
    tip.replaceChildren(text("b", data.names[shown] || `${x} ${data.x}`));
    for (const line of data.lines) {
      if (!line.points.length) continue;
      const at = nearest(line.points, x);
      const value = line.upper ? `${line.points[at][1]} to ${line.upper[at][1]}` : line.points[at][1];
      const row = document.createElement("span");
      const colour = document.createElement("i");
      colour.className = line.colour;
      row.append(colour, text("em", `${line.label}: ${value} ${data.unit}`));
      row.lastChild.style.fontStyle = "normal";
      tip.append(row);
    }
    cross.hidden = tip.hidden = false;
    cross.style.left = `${100 * place}%`;
    // On the side with more room, and never past the edge.
    const room = plot.clientWidth - tip.offsetWidth;
    const left = place > 0.5 ? place * plot.clientWidth - tip.offsetWidth - 8 : place * plot.clientWidth + 8;
    tip.style.left = `${Math.max(0, Math.min(left, room))}px`;
  };
  const follow = event => {
    const box = plot.getBoundingClientRect();
    const x = data.from + (event.clientX - box.left) / box.width * (data.to - data.from);
    if (first.length) show(nearest(first, x));
  };
  plot.addEventListener("pointermove", follow);
  plot.addEventListener("pointerdown", follow);
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
