"""A laid-out graph as the text of an SVG file. Letters are outlines, so that it looks the same in every browser and on paper."""

from __future__ import annotations

import itertools
import math
from xml.sax.saxutils import escape

from deepalgo.drawing.boxes import LINE, FormulaBox, PaintedMark, chip, row, text
from deepalgo.drawing.glyphs import UNITS, font_for, outline
from deepalgo.drawing.layout import BACK, FORMULA, GROUP, NAME, PILL, TITLE, Laid, Path, Point, Rectangle, RegionFrame, box_place, label_of

#: The colour of text and the ground behind it, by role of a weight.
ROLES = {
    "coefficient": ("#1d4ed8", "#dbeafe"),
    "exponent": ("#7e22ce", "#f3e8ff"),
    "threshold": ("#b45309", "#fef3c7"),
    "initial value": ("#047857", "#d1fae5"),
    "frozen": ("#4b5563", "#e5e7eb"),
}
INK, WIRE, PAPER, EDGE_OF_PAPER = "#111827", "#64748b", "#ffffff", "#d7dce4"
COLOURS = {"ink": INK, "wire": "#334155", "white": "#ffffff", "signal": "#3730a3", "faint": "#64748b"}
#: Ground and border of regions.
REGIONS = {
    "loop": ("#f5f6ff", "#a5b4fc"),
    "round": ("#f5f6ff", "#a5b4fc"),
    "while": ("#f5f6ff", "#a5b4fc"),
    "if": ("#fffcf3", "#f1c66b"),
    "try": ("#fff5f5", "#f5b5b5"),
}
PILLS = {"input": ("#ffffff", "#818cf8", "signal"), "carried": ("#4f46e5", "#4f46e5", "white"), "output": ("#e0e7ff", "#818cf8", "signal")}
MARGIN, HEAD = 26.0, 40.0


class Painter:
    """Collects elements; each letter is defined once."""

    def __init__(self) -> None:
        self.elements: list[str] = []
        self.letters: dict[tuple[str, str], str] = {}

    def box(self, box: FormulaBox, size: float, at: Point, colour: str | None = None) -> None:
        """A formula, its baseline beginning at a point."""
        for mark in sorted(box.marks, key=lambda mark: mark.kind != "chip"):
            self.mark(mark, size, at, colour)

    def mark(self, mark: PaintedMark, size: float, at: Point, colour: str | None) -> None:
        """One character or line of a formula."""
        x, y = at[0] + mark.x * size, at[1] + mark.y * size
        dark, ground = ROLES.get(mark.colour, (COLOURS.get(mark.colour, INK), ""))
        fill = COLOURS[colour] if colour is not None and mark.colour == "ink" else dark
        points = [(x + px * size, y + py * size) for px, py in mark.points]
        if mark.kind == "glyph":
            if mark.character not in " \u2009":
                self.letter(mark, x, y, size * mark.scale, fill)
        elif mark.kind == "chip":
            (left, top), (right, bottom) = points
            self.rectangle(left, top, right - left, bottom - top, ground, "none", 4 * mark.scale)
        elif mark.kind == "curve":
            self.add(f'<path d="{_smooth(points)}" fill="none" stroke="{fill}" stroke-width="{LINE * size * mark.scale * 1.1:.2f}"/>')
        else:
            listed = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
            width = LINE * size * mark.scale
            self.add(f'<polyline points="{listed}" fill="none" stroke="{fill}" stroke-width="{width:.2f}" stroke-linejoin="round"/>')

    def letter(self, mark: PaintedMark, x: float, y: float, size: float, fill: str) -> None:
        """One character."""
        key = (font_for(mark.font, mark.character), mark.character)
        name = self.letters.setdefault(key, f"g{len(self.letters)}")
        self.add(f'<use href="#{name}" transform="translate({x:.2f} {y:.2f}) scale({size / UNITS:.5f})" fill="{fill}"/>')

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str, stroke: str, corner: float, line: float = 1.2) -> None:
        """A box with round corners."""
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{corner:.1f}" fill="{fill}" '
                 f'stroke="{stroke}" stroke-width="{line}"/>')

    def add(self, element: str) -> None:
        """Any element."""
        self.elements.append(element)

    def graph(self, laid: Laid, x: float, y: float) -> None:
        """A graph with its corner at a point: frames, then wires, then nodes, then names."""
        for title, place in zip(laid.graph.groups, laid.groups, strict=True):
            self.group(title, _moved(place, x, y))
        for name, frame in laid.frames.items():
            place = laid.places[name]
            self.frame(laid, name, frame, x + place.x - frame.width / 2, y + place.y - frame.height / 2)
        for path in laid.paths:
            self.wire(path, x, y)
        for name, node in laid.graph.nodes.items():
            place = _moved(laid.places[name], x, y)
            if node.kind == "formula":
                self.rectangle(place.x - place.width / 2, place.y - place.height / 2, place.width, place.height, PAPER, "#b6c0cf", 7)
                self.box(node.box, FORMULA, box_place(node.box, FORMULA, place.x, place.y))
            elif node.region is None:
                self.pill(node.kind, node.box, place)
        for path in laid.paths:
            label = label_of(laid.graph, path.edge)
            if path.label is not None and label is not None:
                self.name(label, (x + path.label[0], y + path.label[1]))

    def group(self, title: str, place: Rectangle) -> None:
        """An arm of a branch."""
        left, top = place.x - place.width / 2, place.y - place.height / 2
        self.add(f'<rect x="{left:.1f}" y="{top:.1f}" width="{place.width:.1f}" height="{place.height:.1f}" rx="9" fill="#ffffff" '
                 f'fill-opacity="0.65" stroke="#e7c98b" stroke-dasharray="4 3"/>')
        box = text(title, "bold")
        self.rectangle(left + 8, top - 8, box.width * GROUP + 12, 16, "#fdf0d2", "#e7c98b", 8, 0.8)
        self.box(box, GROUP, (left + 14, top + 4), None)

    def frame(self, laid: Laid, name: str, frame: RegionFrame, x: float, y: float) -> None:
        """A region: its ground, its title on the border, what is inside."""
        region = laid.graph.nodes[name].region
        assert region is not None
        ground, border = REGIONS[region.kind]
        right = frame.width - (BACK if region.repeats else 0)
        self.rectangle(x, y + frame.top, right, frame.bottom - frame.top, ground, border, 12, 1.6)
        if region.repeats:
            self.way_back(x + right, y + frame.top, y + frame.bottom, border)
        self.graph(frame.laid, x + frame.left, y + frame.shift)
        width = region.title.width * TITLE + 16
        left, middle = x + frame.title[0], y + frame.title[1]
        self.rectangle(left, middle - 11, width, 22, ground, border, 8, 1.2)
        self.box(region.title, TITLE, (left + 8, middle + TITLE * 0.33), None)

    def way_back(self, x: float, top: float, bottom: float, colour: str) -> None:
        """The arrow from the end of a round to the beginning of the next."""
        out = BACK - 4
        self.add(f'<path d="M{x:.1f} {bottom - 14:.1f} h{out - 8:.1f} q8 0 8 -8 V{top + 30:.1f} q0 -8 -8 -8 h{8 - out + 6:.1f}" '
                 f'fill="none" stroke="{colour}" stroke-width="2"/>')
        self.add(f'<path d="M{x + 1:.1f} {top + 22:.1f} l8 -4.6 v9.2 z" fill="{colour}"/>')

    def pill(self, kind: str, box: FormulaBox, place: Rectangle) -> None:
        """A signal that enters or leaves."""
        fill, stroke, colour = PILLS[kind]
        left, top = place.x - place.width / 2, place.y - place.height / 2
        self.rectangle(left, top, place.width, place.height, fill, stroke, place.height / 2, 1.4)
        self.box(box, PILL, box_place(box, PILL, place.x, place.y), colour)

    def wire(self, path: Path, x: float, y: float) -> None:
        """A curve with an arrow."""
        points = [(x + px, y + py) for px, py in path.points]
        tip = (x + path.tip[0], y + path.tip[1])
        curve = f"M{points[0][0]:.1f} {points[0][1]:.1f}C" + " ".join(f"{px:.1f} {py:.1f}" for px, py in points[1:])
        self.add(f'<path d="{curve}" fill="none" stroke="{WIRE}" stroke-width="1.3"/>')
        angle = math.degrees(math.atan2(tip[1] - points[-1][1], tip[0] - points[-1][0]))
        self.add(f'<path d="M0 0L-7.5 -3.4L-5.8 0L-7.5 3.4Z" transform="translate({tip[0]:.1f} {tip[1]:.1f}) rotate({angle:.0f})" '
                 f'fill="{WIRE}"/>')

    def name(self, box: FormulaBox, at: Point) -> None:
        """The name of a signal beside its wire, on a ground that lets it be read."""
        x, y = box_place(box, NAME, *at)
        self.box(box, NAME, (x, y), "signal")

    def document(self, width: float, height: float, title: str) -> str:
        """The whole file."""
        letters = "".join(f'<path id="{name}" d="{outline(*key)}"/>' for key, name in self.letters.items())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'role="img"><title>{escape(title)}</title><defs>{letters}</defs>' + "\n".join(self.elements) + "</svg>\n"
        )


def paint(laid: Laid, name: str, roles: list[str]) -> str:
    """The figure of a function: its name, its graph, and what the colours mean."""
    painter = Painter()
    legend = [chip(text(role, "sans"), role) for role in roles]
    legend_width = sum(box.width * 12 + 12 for box in legend) + 70
    head = text(name, "bold")
    width = max(laid.width, legend_width, head.width * 17) + 2 * MARGIN
    height = HEAD + laid.height + 2 * MARGIN + (30 if legend else 0)
    painter.rectangle(0.75, 0.75, width - 1.5, height - 1.5, PAPER, EDGE_OF_PAPER, 14, 1.5)
    painter.box(row(head), 17, (MARGIN, MARGIN + 12), None)
    painter.graph(laid, (width - laid.width) / 2, HEAD + MARGIN)
    x = MARGIN
    if legend:
        words = text("weights", "sans", "faint")
        painter.box(words, 12, (x, height - MARGIN + 4), None)
        x += words.width * 12 + 14
    for box in legend:
        painter.box(box, 12, (x, height - MARGIN + 4), None)
        x += box.width * 12 + 12
    return painter.document(width, height, f"Signal flow of {name}")


def _moved(place: Rectangle, x: float, y: float) -> Rectangle:
    return Rectangle(place.x + x, place.y + y, place.width, place.height)


def _smooth(points: list[Point]) -> str:
    """A curve through points, by quadratic pieces between their middles."""
    (x, y), *rest = points
    words = [f"M{x:.1f} {y:.1f}"]
    for (px, py), (qx, qy) in itertools.pairwise(rest):
        words.append(f"Q{px:.1f} {py:.1f} {(px + qx) / 2:.1f} {(py + qy) / 2:.1f}")
    return "".join(words) + f"L{rest[-1][0]:.1f} {rest[-1][1]:.1f}"
