"""Drawings for the scripts: SVG for light and dark surroundings, with the standard library alone."""

import math
from xml.sax.saxutils import escape

LIGHT = {"paper": "#ffffff", "ink": "#16191d", "quiet": "#56606b", "rule": "#c9ced4",
         "grid": "#e8eaed", "c1": "#0069a8", "c2": "#c65102", "c3": "#00835f", "c4": "#a3497f"}
DARK = {"paper": "#14171a", "ink": "#e8eaed", "quiet": "#a0a8b1", "rule": "#444b53",
        "grid": "#2a2f35", "c1": "#62b5ec", "c2": "#f09a52", "c3": "#45c49b", "c4": "#dd93c0"}


class Drawing:
    """An SVG with a ground of its own, for light and dark surroundings."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = []

    def line(self, x1, y1, x2, y2, kind):
        self.parts.append(f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def rect(self, x, y, width, height, kind, hint=""):
        title = f"<title>{escape(hint)}</title>" if hint else ""
        self.parts.append(f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                          f'height="{height:.1f}" rx="1.5">{title}</rect>')

    def circle(self, x, y, kind, hint):
        self.parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5">'
                          f"<title>{escape(hint)}</title></circle>")

    def path(self, points, kind):
        steps = " ".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="M{steps}"/>')

    def arrow(self, x1, y1, x2, y2):
        """From the end of a task down or up to the start of the next."""
        middle = (y1 + y2) / 2
        self.parts.append(f'<path class="arrow" d="M{x1:.1f} {y1:.1f} C{x1:.1f} {middle:.1f} '
                          f'{x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}" marker-end="url(#head)"/>')

    def text(self, x, y, words, kind="label", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
                          f"{escape(words)}</text>")

    @staticmethod
    def style(colours):
        rules = [f"text{{fill:{colours['ink']}}}", f".quiet{{fill:{colours['quiet']}}}",
                 f".paper{{fill:{colours['paper']}}}", f".grid{{stroke:{colours['grid']}}}",
                 f".axis{{stroke:{colours['rule']}}}", f".level{{stroke:{colours['ink']}}}",
                 f".published{{stroke:{colours['quiet']}}}", f".arrow{{stroke:{colours['ink']}}}",
                 f".head{{fill:{colours['ink']}}}", f".halo{{stroke:{colours['paper']}}}",
                 f".inside{{fill:{colours['paper']}}}"]
        for name in ("c1", "c2", "c3", "c4"):
            rules.append(f".{name}{{fill:{colours[name]}}}.l{name}{{stroke:{colours[name]}}}")
        return "".join(rules)

    def __str__(self):
        common = ("text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}"
                  ".title{font-size:16px;font-weight:600}.strong{font-weight:600}"
                  ".grid,.axis{stroke-width:1}.level{stroke-width:1.5;stroke-dasharray:6 4}"
                  ".published{stroke-width:1.5;stroke-dasharray:2 4}"
                  ".curve{fill:none;stroke-width:2.5;stroke-linejoin:round}.dashed{stroke-dasharray:7 4}"
                  ".arrow{fill:none;stroke-width:1}.other{opacity:.3}.halo{stroke-width:4;paint-order:stroke}")
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" aria-label="{escape(self.title)}">',
            f"<title>{escape(self.title)}</title>",
            f"<style>{common}{self.style(LIGHT)}@media (prefers-color-scheme:dark){{{self.style(DARK)}}}</style>",
            '<defs><marker id="head" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" '
            'orient="auto"><path class="head" d="M0 0L6 3L0 6Z"/></marker></defs>',
            f'<rect class="paper" width="{self.width}" height="{self.height}" rx="6"/>',
            *self.parts, "</svg>", ""])


def round_step(highest, most=6):
    """The step of an axis from 0 to `highest` with at most so many marks: 1, 2 or 5 times a power of 10."""
    least = highest / most
    power = 10 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def number(value):
    return f"{value:,.10g}".replace(",", " ")


class LineChart:
    """Curves over one axis, with a legend. A curve has a name, a colour c1 to c4 and points (x, y, hint); it may be
    dashed, and have a label at its end."""

    def __init__(self, title, x_label, y_label, logarithmic=False, note=()):
        self.title, self.x_label, self.y_label, self.note = title, x_label, y_label, note
        self.logarithmic = logarithmic
        self.curves = []

    def add(self, name, colour, points, dashed=False, label=""):
        if points:
            self.curves.append((name, colour, sorted(points), dashed, label))

    def legend(self, width):
        """The places of all names, in as many rows as they need."""
        places, x, row = [], 16, 0
        for name, *_ in self.curves:
            space = 52 + 7.6 * len(name)
            if x > 16 and x + space > width:
                x, row = 16, row + 1
            places.append((x, 50 + 20 * row))
            x += space
        return places

    def __str__(self):
        places = self.legend(760)
        top = 84 + (places[-1][1] - 50 if places else 0)
        left, right, bottom = 76, 684, top + 242
        drawing = Drawing(760, bottom + 54 + 16 * len(self.note), self.title)
        drawing.text(16, 28, self.title, "title")
        points = [point for curve in self.curves for point in curve[2]]
        if not points:
            drawing.text(16, 60, "nothing has been measured yet", "quiet")
            return str(drawing)
        scale = math.log2 if self.logarithmic else float
        first, last = scale(min(p[0] for p in points)), scale(max(p[0] for p in points))
        margin = 0.06 * (last - first) or 1
        step = round_step(max(p[1] for p in points) or 1)
        highest = step * math.ceil(max(p[1] for p in points) / step - 1e-9) or step
        x = lambda value: left + (right - left) * (scale(value) - first + margin) / (last - first + 2 * margin)
        y = lambda value: bottom - (bottom - top) * value / highest
        for mark in range(round(highest / step) + 1):
            drawing.line(left, y(mark * step), right, y(mark * step), "axis" if mark == 0 else "grid")
            drawing.text(left - 8, y(mark * step) + 4, number(mark * step), "quiet", "end")
        taken = -math.inf
        for value in sorted({p[0] for p in points}):
            drawing.line(x(value), bottom, x(value), bottom + 5, "axis")
            if x(value) - taken > 14 + 7 * len(number(value)):
                drawing.text(x(value), bottom + 20, number(value), "quiet", "middle")
                taken = x(value)
        drawing.text((left + right) / 2, bottom + 40, self.x_label, "quiet", "middle")
        drawing.text(16, top - 12, self.y_label, "quiet")
        for (place, height), (name, colour, curve, dashed, label) in zip(places, self.curves):
            kind = f"curve l{colour}" + (" dashed" if dashed else "")
            drawing.path([(place, height - 4), (place + 26, height - 4)], kind)
            drawing.text(place + 32, height, name, f"strong {colour}")
            if len(curve) > 1:
                drawing.path([(x(p[0]), y(p[1])) for p in curve], kind)
            for value, rate, hint in curve:
                drawing.circle(x(value), y(rate), colour, f"{name}: {hint}")
            drawing.text(x(curve[-1][0]) + 8, y(curve[-1][1]) + 4, label, f"halo {colour}")
        for i, line in enumerate(self.note):
            drawing.text(16, bottom + 62 + 16 * i, line, "quiet")
        return str(drawing)
